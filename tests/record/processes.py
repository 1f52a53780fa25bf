"""Threads of every kind, forked and spawned children; each does a known number of calls."""

import _thread
import multiprocessing
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor


def step(n):
    return n + 1


def steps(count):
    for i in range(count):
        step(i)


def in_thread(count):
    steps(count)


def raw_thread(done):
    steps(30)
    done.release()


def in_child(count):
    steps(count)


def forked(count):
    pid = os.fork()
    if pid == 0:
        steps(count)
        os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 3 if sys.version_info >= (3, 9) \
        else os.waitpid(pid, 0)[1] == 3 << 8


def main():
    named = threading.Thread(target=in_thread, args=(10,), name="named one")
    named.start()
    named.join()
    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(raw_thread, (done,))
    done.acquire()
    time.sleep(0.05)  # until it has returned
    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="pool") as pool:
        list(pool.map(in_thread, [20] * 5))
    forked(40)
    for kind in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(kind)
        child = context.Process(target=in_child, args=(50,))
        child.start()
        child.join()
        assert child.exitcode == 0
    steps(7)


if __name__ == "__main__":
    main()
    print("done")
