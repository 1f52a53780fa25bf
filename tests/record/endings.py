"""Programs end in every way; sys.argv[1] says how."""

import os
import pickle
import sys


class Thing:
    pass


def main():
    return "main was called"


def fails():
    raise ValueError("of the program")


def by_hook(kind, error, trace):
    depth = 0
    while trace:
        depth, trace = depth + 1, trace.tb_next
    print("hook:", kind.__name__, error, depth, file=sys.stderr)


how = sys.argv[1]
print(__name__, os.path.basename(__file__), sys.argv[1:], os.path.basename(sys.path[0]), __doc__)
print(__builtins__.__name__, __spec__, __package__, len(sys.meta_path) > 0)
if how == "error":
    fails()
elif how == "exit":
    sys.exit(7)
elif how == "text":
    sys.exit("a last word")
elif how == "interrupt":
    raise KeyboardInterrupt
elif how == "hook":
    sys.excepthook = by_hook
    fails()
elif how == "own_exit":
    sys.stdout.flush()
    os._exit(9)
elif how == "main":
    print(sys.modules["__main__"].main())
elif how == "pickle":
    print(type(pickle.loads(pickle.dumps(Thing()))) is Thing)
