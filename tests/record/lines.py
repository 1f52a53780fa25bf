"""Lines of chosen functions: loops, calls of each other, generators, exceptions, threads, a child."""

import os
import sys
import threading
import time


def wanted(count):
    total = 0
    for i in range(count):
        total += inner(i)
    return total


def inner(number):
    value = number
    value += 1
    return value


def recursive(depth):
    if depth == 0:
        return 0
    return 1 + recursive(depth - 1)


def numbers(count):
    for i in range(count):
        yield i


def failing():
    try:
        inner("no number")
    except TypeError:
        return 1
    return 0


def sleeping():
    time.sleep(0.05)
    time.sleep(0.01)


if "profile" in dir(__builtins__):
    @profile  # noqa: F821
    def marked(count):
        for _ in range(count):
            pass
else:
    def marked(count):
        for _ in range(count):
            pass

print(wanted(100), recursive(20), sum(numbers(30)), failing(), sys.gettrace(), flush=True)
sleeping()
marked(7)
thread = threading.Thread(target=wanted, args=(50,))
thread.start()
thread.join()
if os.fork() == 0:
    wanted(5)
    os._exit(0)
os.wait()
if len(sys.argv) > 1:
    os.kill(os.getpid(), 9)
