"""What one run of a program costs, and whether the machine was quiet meanwhile."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass

# Of a process starts as that of whoever made it: a small one stands between.
PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"""
EXTENT = os.environ.get("PJ_EXTENT", "all")  # what tests/run was asked for
ROUNDS = 3 if EXTENT == "quick" else 5  # of which the least counts; over the gate, again
BUSY = 1.2  # a core is busy when two loops at once take this much longer than one alone
LOOP = "x = 0\nfor i in range(1500000): x += i"


class NotMeasured(Exception):
    """Why a ratio could not be had."""


@dataclass
class Cost:
    wall: float  # s
    cpu: float  # s, user and system, all threads


def run(*command, cwd=None):
    """Cost of a command whose output is thrown away; it must succeed."""
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          cwd=cwd) as process:
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - begin
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {said.decode(errors='replace').strip()}")
    return Cost(wall, usage.ru_utime + usage.ru_stime)


def peak(*command):
    """Bytes that a command has in memory at most."""
    watched = subprocess.run([sys.executable, "-I", "-S", "-c", PEAK, *command],
                             capture_output=True, text=True, check=False)
    if watched.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {watched.stderr.strip()}")
    return int(watched.stdout)


def least(costs):
    """The best of several runs, figure by figure."""
    return Cost(min(c.wall for c in costs), min(c.cpu for c in costs))


def best(count, *command):
    return least([run(*command) for _ in range(count)])


def loops(count):
    begin = time.perf_counter()
    running = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(count)]
    for process in running:
        process.wait()
    return time.perf_counter() - begin


def two_cores_free():
    """The control: two loops at once take as long as one."""
    return len(os.sched_getaffinity(0)) >= 2 and loops(2) < BUSY * loops(1)
