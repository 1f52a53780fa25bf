"""Profiles: inputs with realistic names, fan-out and counts, and what Python's pstats needs for them."""

import marshal
import os
import random
import shutil
import subprocess
import sys

import measure
from measure import ROUNDS

READ = "import pstats, sys; pstats.Stats(sys.argv[1])"
ADD = "import pstats, sys; s = pstats.Stats(sys.argv[1]); [s.add(f) for f in sys.argv[2:]]"


def keys_of(count):
    """Functions of modules, whose file is one text as in Python; every ninth is built in."""
    files = [f"/usr/lib/python3/site-packages/package{m % 37}/part{m % 11}/module_{m}.py"
             for m in range(count // 50 + 1)]
    return [("~", 0, f"<method 'do_{n}' of 'Thing{n % 97}' objects>") if n % 9 == 0 else
            (files[n // 50], n * 7 % 3000 + 1, f"function_{n}") for n in range(count)]


def callers_of(number, keys, chance):
    """Some functions are called from everywhere, most from two or three places."""
    count = min(number, 19 if chance.random() < 0.03 else chance.randrange(1, 5))
    records = {}
    for _ in range(count):
        calls = chance.randrange(1, 5000)
        records[keys[chance.randrange(number)]] = (calls, calls, chance.random() * 1e-3,
                                                   chance.random() * 1e-2)
    return records


def make(path, functions):
    """A file as cProfile writes it, with three callers a function."""
    chance = random.Random(functions)
    keys = keys_of(functions)
    stats = {}
    for number, name in enumerate(keys):
        callers = callers_of(number, keys, chance)
        calls = sum(record[0] for record in callers.values()) or 1
        own = chance.random() * 1e-3
        total = sum(record[3] for record in callers.values()) + own
        stats[name] = (calls, calls, own, total, callers)
    with open(path, "wb") as out:
        marshal.dump(stats, out)


def make_apart(path, functions):
    """In a process of its own: the memory of this one would count as that of what it starts."""
    subprocess.run([sys.executable, __file__, path, str(functions)], check=True)


def large(bench):
    if "profile" not in bench.paths:
        path = os.path.join(bench.scratch, "large.prof")
        make_apart(path, 100000)
        bench.paths["profile"] = path
    return bench.paths["profile"]


def of_ranks(bench):
    if "profiles" not in bench.paths:
        paths = [os.path.join(bench.scratch, f"cpu_{rank}.prof") for rank in range(32)]
        make_apart(paths[0], 10000)
        for path in paths[1:]:
            shutil.copy(paths[0], path)
        bench.paths["profiles"] = paths
    return bench.paths["profiles"]


def over_pstats(bench, paths, script):
    ours = measure.best(ROUNDS, bench.popinjay, "profile", *paths, "--first", "20")
    theirs = measure.best(2, sys.executable, "-c", script, *paths)
    return ours.cpu / theirs.cpu


def table_over_pstats(bench):
    """CPU time of the table of 100,000 functions / of Python's reading of the same file."""
    return over_pstats(bench, [large(bench)], READ)


def ranks_over_pstats(bench):
    """CPU time of 32 files of 10,000 functions as one table / of Stats.add."""
    return over_pstats(bench, of_ranks(bench), ADD)


def table_within(paths, seconds):
    """CPU time of the table of the first 20 functions / so many seconds."""
    def ratio(bench):
        return measure.best(ROUNDS, bench.popinjay, "profile", *paths(bench), "--first",
                            "20").cpu / seconds
    return ratio


def table_memory(bench):
    return measure.peak(bench.popinjay, "profile", large(bench)) / (64 << 20)


def picture_in(kind):
    """CPU time of the first picture of 100,000 functions, from the file to the page, over 0.3 s."""
    def measured(bench):
        page = os.path.join(bench.scratch, "picture.html")
        run = measure.best(ROUNDS, bench.popinjay, "plot", kind, large(bench), "--export", page)
        return run.cpu / 0.3
    return measured


def page_size(bench):
    """Bytes of that page over 2 MB."""
    page = os.path.join(bench.scratch, "size.html")
    measure.run(bench.popinjay, "plot", "flame", large(bench), "--export", page)
    return os.path.getsize(page) / 2e6


MACHINES = 1.7  # the gate of plain seconds that are nearly used up: slower machines have their own

RATIOS = [
    ("table of 100,000 functions over 0.1 s (CPU)", table_within(lambda b: [large(b)], 0.1), 1,
     MACHINES),
    ("table of 100,000 functions over pstats (CPU)", table_over_pstats, 1 / 12, None),
    ("table of 32 ranks over 0.25 s (CPU)", table_within(of_ranks, 0.25), 1,
     MACHINES),
    ("table of 32 ranks over pstats (CPU)", ranks_over_pstats, 1 / 16, None),
    ("table of 100,000 functions over 64 MB", table_memory, 1, 1),
    ("flame graph of 100,000 functions over 0.3 s (CPU)", picture_in("flame"), 1, None),
    ("sunburst of 100,000 functions over 0.3 s (CPU)", picture_in("sunburst"), 1, None),
    ("page of 100,000 functions over 2 MB", page_size, 1, 1),
]

if __name__ == "__main__":
    make(sys.argv[1], int(sys.argv[2]))
