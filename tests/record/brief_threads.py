"""Threads of ever new functions that end at once, for a second: sampling meets them as they go."""

import threading
import time


def work(number):
    space = {}
    exec(f"def f{number}(depth):\n"
         f"    return f{number}(depth - 1) if depth else sum(range(3000))\n"
         f"f{number}(30)", space)


def main():
    end, number = time.monotonic() + 1.5, 0
    while time.monotonic() < end:
        threads = [threading.Thread(target=work, args=(number + i,)) for i in range(8)]
        number += len(threads)
        for thread in threads:
            thread.start()
        _ = [bytearray(b"\xff" * 310) for _ in range(200)]  # in the place of what has gone
        for thread in threads:
            thread.join()
    print("done")


main()
