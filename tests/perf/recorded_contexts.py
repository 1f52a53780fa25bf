"""recorded_contexts.py FOLDER: ns of `with region(name)` while recorded, and of an empty class."""

import sys
import time

from popinjay import recording

recording.start(sys.argv[1], functions=False)

from popinjay import native, region  # noqa: E402

COUNT = 20000


class Empty:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        return False


def regions():
    for _ in range(COUNT):
        with region("name"):
            pass


def empty():
    for _ in range(COUNT):
        with Empty("name"):
            pass


def least(load):
    best = float("inf")
    for _ in range(15):
        begin = time.thread_time_ns()
        load()
        best = min(best, time.thread_time_ns() - begin)
    return best / COUNT


print(least(regions), least(empty))
assert native.active(), "nothing was recorded"
