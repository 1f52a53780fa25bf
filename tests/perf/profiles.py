"""Profiles: inputs made here, and what reading and showing them may cost.

One row of RATIOS is one of tests/perf/run: a name, what is measured over what, the target, the gate
over it (None = the usual one).
"""

import os
import random

import measure
from measure import ROUNDS



def cubex(bench, *packed):
    """5,000 call paths of 300 functions on 1,024 ranks: visits, time, bytes sent."""
    name = "packed.cubex" if packed else "plain.cubex"
    if name not in bench.paths:
        path = os.path.join(bench.scratch, name)
        measure.run(*bench.tool("make_cubex", path, "5000", "300", "1024", "1", *packed))
        bench.paths[name] = path
    return bench.paths[name]


def tau_text(names, rank, seed):
    """A file of TAU: C++ names with their places, as its compiler wrapper writes them."""
    lines = [f"{len(names)} templated_functions_MULTI_TIME",
             "# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute>"
             "<name>Metric Name</name><value>TIME</value></attribute><attribute>"
             f"<name>Hostname</name><value>node{rank}</value></attribute></metadata>"]
    for name in names:
        calls, own = seed.randrange(1, 99999), seed.randrange(10**8)
        lines.append(f'"{name}" {calls} {calls // 3} {own} {own + seed.randrange(10**7)} 0 '
                     'GROUP="TAU_USER" ')
    return "\n".join(lines + ["0 aggregates", "0 userevents", ""])


def tau(bench):
    """256 files of 312 functions: 11 MB."""
    if "tau" not in bench.paths:
        folder = os.path.join(bench.scratch, "tau")
        os.mkdir(folder)
        seed = random.Random(1)
        names = [f"void solver::kernel_{i}(double *, int, const field &) C "
                 f"[{{/src/solver_{i % 17}.cpp}} {{{10 * i + 1},1}}-{{{10 * i + 9},1}}]"
                 for i in range(312)]
        for rank in range(256):
            with open(os.path.join(folder, f"profile.{rank}.0.0"), "w", encoding="ascii") as out:
                out.write(tau_text(names, rank, seed))
        bench.paths["tau"] = folder
    return bench.paths["tau"]


def ppk(bench):
    """The same, packed: 80,000 records, 3 MB raw."""
    if "ppk" not in bench.paths:
        path = os.path.join(bench.scratch, "tau.ppk")
        measure.run(bench.popinjay, "profile", tau(bench), "--export", path)
        bench.paths["ppk"] = path
    return bench.paths["ppk"]


def shown_within(make, seconds, *options, by="function"):
    """CPU time of the table of a profile / so many seconds."""
    def ratio(bench):
        path = make(bench, *options)
        return measure.best(ROUNDS, bench.popinjay, "profile", path, "--by", by).cpu / seconds
    return ratio


def heat_map(bench):
    """CPU time of the heat map of 2,000 functions at 256 ranks, from the file to the picture, over
    0.5 s."""
    path, picture = (os.path.join(bench.scratch, name) for name in ("heat.cubex", "heat.svg"))
    if not os.path.exists(path):
        measure.run(*bench.tool("make_cubex", path, "5000", "2000", "256", "1"))
    return measure.best(3, bench.popinjay, "plot", "heat", path, "--export", picture).cpu / 0.5


RATIOS = [
    ("256 TAU files over 0.08 s (CPU)", shown_within(tau, 0.08), 1, None),
    ("ppk of 256 ranks over 0.05 s (CPU)", shown_within(ppk, 0.05), 1, None),
    ("cubex of 87 MB read over 0.08 s (CPU)", shown_within(cubex, 0.08, by="metric"), 1, None),
    ("cubex of 87 MB, its table, over 0.2 s (CPU)", shown_within(cubex, 0.2), 1, None),
    ("heat map of 2,000 functions at 256 ranks over 0.5 s (CPU)", heat_map, 1, None),
    ("packed cubex over 0.4 s (CPU)", shown_within(cubex, 0.4, "packed"), 1, None),
]
