"""Timers by the names of pyop2.profiling; what they time is recorded as regions."""

import builtins
import os

from popinjay.timers import (Timer, reset_timers, summary, tic, timed_function, timed_region,
                             timers as get_timers, timing, toc)

__all__ = ["Timer", "timed_function", "timed_region", "tic", "toc", "get_timers", "reset_timers",
           "timing", "summary", "profile", "lineprof", "memprof"]


def unchanged(function):
    """Memory, and lines where they are not recorded: the function stays as it is."""
    return function


memprof = unchanged
profile = lineprof = getattr(builtins, "profile", unchanged)

if os.environ.get("PYOP2_PRINT_SUMMARY") == "1":
    import atexit
    atexit.register(summary)
