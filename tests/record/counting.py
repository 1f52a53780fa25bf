"""counting.py PROGRAM: runs it and prints, as JSON, how often each of its functions was called,
by sys.setprofile."""

import asyncio  # noqa: F401 - so that importing it is none of the calls
import collections
import json
import sys
import threading


def main(path):
    calls = collections.Counter()

    def hook(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename in (path, "<string>") and \
                frame.f_globals.get("__name__") == "__main__":
            name = getattr(code, "co_qualname", code.co_name).replace("<locals>.", "")
            calls[name] += 1

    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    threading.setprofile(hook)
    sys.setprofile(hook)
    exec(code, {"__name__": "__main__", "__file__": path})
    sys.setprofile(None)
    print(json.dumps(calls))


main(sys.argv[1])
