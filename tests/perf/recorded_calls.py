"""recorded_calls.py none|cprofile|record|profile|filtered [FOLDER]: CPU time of two loads, in ns a call: fib, mixed.

With record the functions are recorded into FOLDER, with profile their call paths are counted, with
filtered none of them is recorded; `popinjay` has to be on the path of Python.
"""

import os
import sys
import time

ROUNDS = 15
RECORDED = {"record": {}, "profile": {"POPINJAY_RECORD_PROFILE": "1"},
            "filtered": {"POPINJAY_RECORD_EXCLUDE": "*"}}


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


class Item:
    def __init__(self, key, weight):
        self.key = key
        self.weight = weight

    def scaled(self, factor):
        return self.weight * factor


def squares(n):
    for i in range(n):
        yield i * i


def mixed():
    items = {}
    for i in range(300):
        item = Item(str(i), i)
        items[item.key] = item.scaled(2)
    total = sum(squares(300))
    for key in sorted(items, key=lambda key: len(key)):
        total += items.get(key, 0) + len(key)
    return max(total, len(list(map(str, range(50)))))


FIB_CALLS = 21891  # of fib(20)
MIXED_CALLS = 1 + 300 + 300 + 301 + 300


def least(load, calls):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.thread_time_ns()
        load()
        best = min(best, time.thread_time_ns() - begin)
    return best / calls


def main(how, folder=None):
    if how == "cprofile":
        import cProfile
        profiler = cProfile.Profile(builtins=False)
        profiler.enable()
    elif how in RECORDED:
        os.environ.update(RECORDED[how])
        from popinjay import recording
        recording.start(folder)
    print(least(lambda: fib(20), FIB_CALLS), least(mixed, MIXED_CALLS))
    if how in RECORDED:
        assert recording.popinjay.native.active(), "nothing was recorded"


main(*sys.argv[1:])
