"""The recorder: an event against libotf2's writer, a call of MPI, a merge of many ranks against
sorting their names."""

import os
import shutil
import subprocess
import tempfile

import measure

RANKS, REGIONS, EVENTS = 512, 800, 10000000


def make_parts(top, ranks, regions):
    """Parts of `ranks` processes with `regions` functions each, in an order of their own."""
    record = bytes([5]) + bytes(7) + bytes([1]) + bytes([12, 1, 1])
    leave = bytes([5]) + bytes(7) + bytes([2]) + bytes([13, 1, 1])
    chunk = b"\x03B" + (1).to_bytes(8, "little") + bytes(8) + record + leave + bytes(1)
    for rank in range(ranks):
        part = os.path.join(top, "parts", f"node.{1000 + rank}.{rank}")
        os.makedirs(part)
        lines = [f"H\tnode\tboot\t{1000 + rank}\t1\t/usr/bin/app\tapp\t2026-01-01T00:00:00Z",
                 "K\ttsc\t0\t0\t0", f"P\t0\t{rank}\t{ranks}", "T\t0\tMaster thread\tthread"]
        for i in range(regions):
            name = f"package.module_{i % 40}:Class{i % 7}.method_{(i + rank % 3) % regions}"
            lines.append(f"R\t{i + 1}\t1\t1\t{i}\t{i + 9}\t{name}\t{name}\t/home/user/package/{i % 40}.py")
        lines += [f"K\ttsc\t{1 << 62}\t2000000000000000000\t2000000000000000000", "N\t0\t2", "E", ""]
        with open(os.path.join(part, "defs"), "w", encoding="ascii") as file:
            file.write("\n".join(lines))
        with open(os.path.join(part, "0.cur"), "wb") as file:
            file.write(chunk)


def merge_over_sort(bench):
    """CPU of a merge over that of sort -u of all definitions."""
    with tempfile.TemporaryDirectory() as top:
        make_parts(top, RANKS, REGIONS)
        sort = measure.best(3, "bash", "-c", f"LC_ALL=C sort -u {top}/parts/*/defs >/dev/null")
        return measure.best(3, bench.popinjay, "merge", top, "--keep-files").cpu / sort.cpu


def event_over_libotf2(bench):
    """An event with clock and files over the same with libotf2's writer; least of several in turn."""
    costs = {"ours": [], "theirs": []}
    for _ in range(measure.ROUNDS):
        for which, measured in costs.items():
            with tempfile.TemporaryDirectory() as top:
                tool = bench.tool("recorded_events", which, str(EVENTS), os.path.join(top, "r"))
                out = subprocess.run(tool, capture_output=True, check=True)
                measured.append(float(out.stdout))
    return min(costs["ours"]) / min(costs["theirs"])


def mpi_call(bench):
    """ns of CPU that recording adds to a call of MPI / the 100 that it may."""
    if not shutil.which("mpicc"):
        raise measure.NotMeasured("mpicc is not here")
    with tempfile.TemporaryDirectory() as top:
        program = os.path.join(top, "own_messages")
        source = os.path.join(os.path.dirname(__file__), "mpi", "own_messages.c")
        subprocess.run(("mpicc", "-O2", "-o", program, source), check=True)
        record = (bench.popinjay, "record", "-q", "-o", os.path.join(top, "r"), "--", program)
        bare, recorded = (float(subprocess.run(words, check=True, capture_output=True,
                                               env=dict(os.environ, **AS_ROOT)).stdout)
                          for words in ((program,), record))
        return (recorded - bare) / 100


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
RATIOS = [
    ("recorded event over libotf2's writer (CPU)", event_over_libotf2, 0.6, None),
    ("ns added to a call of MPI over 100 (CPU)", mpi_call, 1, None),
    ("merge of 512 ranks over sort -u (CPU)", merge_over_sort, 5, None),
]
