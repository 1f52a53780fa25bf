"""Calls functions of C in every way; prints how often sys.setprofile would see each."""

import json
import math
import sys
import threading


class Sorted(list):
    pass


def fails():
    try:
        math.sqrt(-1)
    except ValueError:
        return 1


def key(value):
    return math.floor(value)


def own_thread():
    for i in range(7):
        math.sqrt(i)


def main():
    numbers = Sorted([3.5, 1.5, 2.5])
    for _ in range(5):
        numbers.append(math.sqrt(4))
        list.append(numbers, 1.0)
    numbers.sort(key=key)
    dict.fromkeys("abc")
    "a,b".split(",")
    fails()
    json.dumps({"a": 1})
    thread = threading.Thread(target=own_thread)
    thread.start()
    thread.join()


main()
print("done", file=sys.stdout)
