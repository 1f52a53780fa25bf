"""Spends known shares of time in functions: tests/record/run compares samples with them."""

import os
import sys
import threading
import time


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def short():
    spin(0.2)


def long():
    spin(0.8)


def waiting():
    time.sleep(1)


def recursive(depth):
    if depth:
        return recursive(depth - 1)
    return long()


def main():
    thread = threading.Thread(target=waiting)
    thread.start()
    short()
    recursive(20)
    exec("def made():\n    spin(0.2)\nmade()", {"spin": spin})
    thread.join()
    child = os.fork()
    if child == 0:
        short()
        os._exit(0)
    os.waitpid(child, 0)
    print("done", threading.active_count(), flush=True)


main()
if len(sys.argv) > 1:
    os.kill(os.getpid(), 9)
