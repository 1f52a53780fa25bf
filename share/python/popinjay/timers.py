"""Timers by name, as PyOP2 has them: total time and number of calls, beside the recording."""

import sys
import time

import popinjay

table = {}  # name -> timer


class Timer:
    """Adds up the times between start and stop."""

    def __init__(self, name=None, timer=time.perf_counter):
        if name in table:
            self.__dict__ = table[name].__dict__
            return
        self.name = name or "timer"
        self.clock = timer
        self.total = 0.0
        self.count = 0
        self.begins = []
        table[self.name] = self

    def start(self):
        popinjay.begin(self.name)
        self.begins.append(self.clock())

    def stop(self):
        if not self.begins:
            raise RuntimeError(f"timer {self.name} was not started")
        took = self.clock() - self.begins.pop()
        popinjay.native.end(self.name)
        self.total += took
        self.count += 1
        return took

    def reset(self):
        self.total, self.count, self.begins = 0.0, 0, []

    def add(self, seconds):
        self.total += seconds
        self.count += 1

    @property
    def elapsed(self):
        return self.total

    @property
    def ncalls(self):
        return self.count

    @property
    def average(self):
        return self.total / self.count if self.count else 0.0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *reason):
        self.stop()
        return False


class timed_region(Timer):
    """with timed_region(name): ..."""


class timed_function:
    """@timed_function(name), @timed_function()"""

    def __init__(self, name=None, timer=time.perf_counter):
        self.name = name
        self.clock = timer

    def __call__(self, function):
        from popinjay import resumed
        return resumed.within(Timer(self.name or function.__name__, self.clock), function)


def tic(name):
    Timer(name).start()


def toc(name):
    return Timer(name).stop()


def timers(reset=False):
    """All of them by name."""
    found = dict(table)
    if reset:
        reset_timers()
    return found


def reset_timers():
    table.clear()


def timing(name, reset=False, total=True):
    """Total (or average) time of a timer."""
    timer = Timer(name)
    value = timer.elapsed if total else timer.average
    if reset:
        timer.reset()
    return value


def rows():
    yield "Timer", "Total time", "Calls", "Average time"
    for name in sorted(table):
        timer = table[name]
        yield name, "%g" % timer.elapsed, "%d" % timer.ncalls, "%g" % timer.average


def summary(filename=None):
    """The table of all timers: printed, or as CSV in a file."""
    lines = list(rows())
    if len(lines) == 1:
        return
    if isinstance(filename, str):
        with open(filename, "w", encoding="utf-8") as out:
            out.writelines(",".join(line) + "\n" for line in lines)
        return
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    out = filename or sys.stdout
    for line in lines:
        out.write(" | ".join([line[0].ljust(widths[0])] +
                             [line[i].rjust(widths[i]) for i in (1, 2, 3)]).rstrip() + "\n")
