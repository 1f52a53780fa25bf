"""recorded_memory.py none|record [FOLDER]: bytes of memory that a thread takes which has made calls.

Each has filled its chunk more than once and is still there.
"""

import sys
import threading

THREADS = 32
CALLS = 30000


def step(n):
    return n + 1


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def work(ready, over):
    for i in range(CALLS):
        step(i)
    ready.release()
    over.wait()


def main(how, folder=None):
    if how == "record":
        from popinjay import recording
        recording.start(folder)
    ready, over = threading.Semaphore(0), threading.Event()
    before = resident()
    threads = [threading.Thread(target=work, args=(ready, over)) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        ready.acquire()
    print((resident() - before) / THREADS)
    over.set()


main(*sys.argv[1:])
