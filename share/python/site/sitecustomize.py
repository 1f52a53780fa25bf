"""Found first by a Python that `popinjay record` starts, or with PYTHONPATH from
`popinjay record --pythonpath`: starts the recorder, then imports the user's own sitecustomize."""

import os
import sys


def is_tracker():
    """multiprocessing's keeper of semaphores, which outlives the program, is none of its parts."""
    try:
        with open("/proc/self/cmdline", "rb") as file:
            return b"multiprocessing.resource_tracker import main" in file.read()
    except OSError:
        return False


def begin():
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if path != here]
    del sys.modules["sitecustomize"]
    sys.path.append(os.path.dirname(here))
    try:
        from popinjay import names
        if os.environ.get("POPINJAY_RECORD") and not is_tracker():
            from popinjay import recording
            recording.start_from_environment()
    finally:
        sys.path.pop()
    names.serve()


def go_on():
    try:
        import sitecustomize  # the user's own
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
        sys.modules["sitecustomize"] = this  # site has found it


this = sys.modules[__name__]
try:
    begin()
except Exception as error:  # never the program's trouble
    sys.stderr.write(f"popinjay: nothing is recorded: {error}\n")
go_on()
