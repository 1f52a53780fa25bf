"""What can be recorded only of a process that has been started with a library of ours before the C
library: this Python is started again once, with the same command line."""

import os
import sys

from popinjay import recording

LIBRARIES = {"IO": "popinjay-record-posix.so", "BLAS": "popinjay-record-blas.so"}


def path_of(library):
    paths = (os.path.join(place, library) for place in recording.libraries())
    path = next((path for path in paths if os.path.exists(path)), None)
    if not path or " " in path or ":" in path:
        raise OSError(f"{library} is not installed where it could be preloaded from")
    return path


def words():
    """The command line of this process."""
    with open("/proc/self/cmdline", "rb") as file:
        return file.read().split(b"\0")[:-1]


def again(options):
    """Does not return where something is wanted that is not there yet."""
    loaded = os.environ.get("LD_PRELOAD", "")
    wanted = [path_of(library) for name, library in LIBRARIES.items() if options.get(name)]
    missing = [path for path in wanted if path not in loaded.split(":")]
    if missing:
        os.environ["LD_PRELOAD"] = ":".join(missing + [part for part in [loaded] if part])
        os.execv(sys.executable, words())
