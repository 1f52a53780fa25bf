"""Regions, parameters and switches for a program that popinjay records.

    import popinjay
    with popinjay.region("assembly"):
        ...

Without a recorder every call does nothing. `python3 -m popinjay script.py` records a script.
"""

import sys

from popinjay import absent

native = absent  # the extension, while the process is recorded
region = absent.region
begin = absent.begin
on = absent.on
off = absent.off
complaint = ("popinjay: the end of a region that was not begun: \"error_region\" in the result\n",)
complained = False


def end(name):
    """The region ends, on the thread that began it."""
    global complained
    if not native.end(name) and not complained:
        complained = True
        sys.stderr.write("".join(complaint))


def parameter(name, value, natural=False):
    """A number or a text beside the region that is open."""
    absent.check(name)
    if not isinstance(value, (int, str)):
        value = str(value)
    try:
        native.parameter(name, value, natural and value >= 0)
    except OverflowError:
        native.parameter(name, str(value))


class instrument:
    """Functions of this thread are recorded, or not, inside `with`, or a decorated function.

    With a name the time is a region of that name; none is written where nothing changes.
    """

    def __init__(self, on=True, name=""):
        self.on = on
        self.name = name
        self.before = []

    def __enter__(self):
        changes = native.instrumented() != self.on and native.active()
        self.before.append(changes)
        named = changes and self.name
        if named and self.on:
            native.begin("user_instrumenter:" + self.name)
        native.instrument(self.on)
        if named and not self.on:
            native.begin("user_instrumenter:" + self.name)
        return self

    def __exit__(self, *reason):
        changes = self.before.pop()
        named = changes and self.name
        if named and not self.on:
            native.end("user_instrumenter:" + self.name)
        if changes:
            native.instrument(not self.on)
        if named and self.on:
            native.end("user_instrumenter:" + self.name)
        return False

    def __call__(self, function):
        from popinjay import resumed
        return resumed.within(self, function)


class rewind:
    """What happens inside `with` can be taken out of the trace again: `mark.discard()`."""

    def __init__(self, name="rewind"):
        absent.check(name)
        self.name = name
        self.discarded = False

    def __enter__(self):
        native.mark(self.name)
        return self

    def discard(self):
        self.discarded = True

    def __exit__(self, *reason):
        native.rewind(self.name, self.discarded)
        return False


def wrap(function):
    """The function with a region of its own name, which is written where the hook does not see it."""
    return region()(function)


def wrap_module(module, wrapper=None):
    """The same for the plain functions of a module."""
    from types import FunctionType
    for name, value in list(vars(module).items()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            setattr(module, name, (wrapper or wrap)(value))


def finish():
    """The recording ends here: its result is written."""
    if native is not absent:
        from popinjay import recording
        recording.finish()


def __getattr__(name):
    if name in ("timing", "summary", "timers", "reset_timers"):
        from popinjay import timers
        return getattr(timers, name)
    raise AttributeError(f"module 'popinjay' has no attribute {name!r}")
