"""Does so many calls, then is killed, or waits until it is."""

import os
import signal
import sys


def step():
    pass


def steps(count):
    for _ in range(count):
        step()


steps(int(sys.argv[1]))
if len(sys.argv) > 2:
    print(os.getpid(), flush=True)
    while True:
        steps(1000)
os.kill(os.getpid(), signal.SIGKILL)
