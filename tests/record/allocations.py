"""Allocates in regions of its own, and in a thread: many objects here, one large block there."""

import threading

try:
    from popinjay import region
except ImportError:
    import contextlib

    @contextlib.contextmanager
    def region(_):
        yield


def many():
    return [object() for _ in range(10000)]


def large():
    return len(bytearray(8 << 20))


with region("many"):
    many()
with region("large"):
    large()
thread = threading.Thread(target=many)
thread.start()
thread.join()
print("done")
