"""A program that runs as the real __main__, as `python3 script.py` and `python3 -m module` run it."""

import builtins
import os
import sys
from types import ModuleType

OWN = os.path.dirname(os.path.abspath(__file__)) + "/"


def is_ours(frame):
    name = frame.f_code.co_filename
    return name.startswith(OWN) or name == "<frozen runpy>" or name.endswith("/runpy.py")


def trim(error, trace):
    """The traceback without the frames that lead to the program."""
    while trace and is_ours(trace.tb_frame):
        trace = trace.tb_next
    error.__traceback__ = trace
    return trace


class errors_as_without_us:
    """An error of the program is shown by the hook that it has then, without our frames."""

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind and not issubclass(kind, SystemExit):
            shown = sys.excepthook
            sys.excepthook = lambda kind, error, trace: shown(kind, error, trim(error, trace))
        return False


def fresh_main():
    module = ModuleType("__main__")
    module.__builtins__ = builtins
    module.__annotations__ = {}
    sys.modules["__main__"] = module
    return module


def set_path(first):
    """Of the first entry, which `python3 -m popinjay` has made that of the current folder."""
    if getattr(sys.flags, "safe_path", False):
        return
    if sys.path and sys.path[0] == os.getcwd():
        sys.path[0] = first
    else:
        sys.path.insert(0, first)


def run_module(name, arguments):
    import runpy
    sys.argv[:] = [name] + arguments
    fresh_main()
    runpy._run_module_as_main(name)


def run_script(path, arguments):
    sys.argv[:] = [path] + arguments
    module = fresh_main()
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy
        set_path(path)
        runpy._run_module_as_main("__main__", False)
        return
    from _frozen_importlib_external import SourceFileLoader
    set_path(os.path.dirname(os.path.realpath(path)))
    whole = path if sys.version_info < (3, 9) or os.path.isabs(path) else f"{os.getcwd()}/{path}"
    with open(path, "rb") as file:
        text = file.read()
    module.__file__ = whole
    module.__cached__ = None
    module.__loader__ = SourceFileLoader("__main__", whole)
    execute(text, whole, module.__dict__)


def execute(text, name, names):
    exec(compile(text, name, "exec", dont_inherit=True), names)
