"""Calls while the handler of a signal, in C, writes a file; prints how often it has."""

import ctypes
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


handler = ctypes.CDLL(sys.argv[1])
if handler.begin(sys.argv[2].encode()) != 0:
    sys.exit("there is no timer")
for _ in range(12):
    fib(18)
print(handler.end())
