"""Recursion that Python alone can do without the stack of C."""

import sys


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


sys.setrecursionlimit(10 ** 6)
print(down(int(sys.argv[1])))
