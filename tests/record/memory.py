"""Takes 64 MiB in steps, keeps them for a moment, and gives them back; then a child takes 16."""

import os
import sys
import time

STEP = 8 << 20


def grow(steps):
    kept = [bytearray(b"x") * STEP for _ in range(steps)]
    time.sleep(0.1)
    return len(kept)


print(grow(8), flush=True)
child = os.fork()
if child == 0:
    grow(2)
    os._exit(0)
os.waitpid(child, 0)
time.sleep(0.1)
if len(sys.argv) > 1:
    os.kill(os.getpid(), 9)
