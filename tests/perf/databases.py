"""Databases of Nsight Systems: what reading them takes, over the time that it may take.

Two processes with a GPU each: kernels with their launches, other calls of the runtime, ranges that
nest; by kernel 3.5 calls and 8 ranges, as recordings of training have them. A quick run has a
fortieth of the 2 million kernels, 7 million calls and 16 million ranges that a long one has.
"""

import os
import sqlite3

import measure

WHOLE = 2000000  # kernels that the goals are for
TABLES = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
    correlationId INT, globalPid INT, demangledName INT, shortName INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT,
    correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, textId INT, domainId INT,
    globalTid INT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.14');
INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaStreamSynchronize_v3020'),
    (3, 'cudaEventRecord_v3020'), (5, 'layer'), (10, 'ncclDevKernel_AllReduce_Sum_f32_RING_LL');
"""
PROCESSES = [1 << 48 | pid << 24 for pid in (111, 112)]


def kernels(count, collectives):
    """One in 10 us; every 40th may be a collective, which comes later on the second GPU."""
    for i in range(count // 2):
        for device, process in enumerate(PROCESSES):
            late = 1000 + 10000 * i + i * 7919 * (device + 1) % 3000
            if collectives and i % 40 == 39:
                yield (1000 + 10000 * i + 500 * device, 10000 + 10000 * i, device, 1, 20, i + 1, process, 10, 10)
            else:
                yield (late, late + 3000 + i * 104729 % 4000, device, 1, 7, i + 1, process, 100 + i % 64, 100 + i % 64)


def calls(count):
    for i in range(count // 2):
        for process in PROCESSES:
            begin, thread = 10000 * i - 2000 - 100 * (i % 5), process | 7
            yield (begin, begin + 1500, 0, thread, i + 1, 1)
            yield (begin + 1600, begin + 1700, 0, thread, 0, 3)
            if i % 2 == 0:
                yield (begin + 1700, begin + 1900, 0, thread, 0, 2)
            yield (begin + 2000, begin + 2100, 0, thread, 0, 3)


def ranges(count):
    for i in range(count // 2):
        for process in PROCESSES:
            for depth in range(8):
                yield (10000 * i - 3000 + 100 * depth, 10000 * i + 6000 - 100 * depth, 59, None, 5, 0, process | 7)


def kernel_count():
    return WHOLE // {"quick": 40, "long": 1}.get(measure.EXTENT, 10)


def database(bench, collectives):
    key = "collectives.sqlite" if collectives else "kernels.sqlite"
    if key not in bench.paths:
        path = os.path.join(bench.scratch, key)
        count = kernel_count()
        out = sqlite3.connect(path)
        out.execute("PRAGMA journal_mode = OFF")
        out.execute("PRAGMA synchronous = OFF")
        out.executescript(TABLES)
        out.executemany("INSERT INTO StringIds VALUES (?, ?)", ((100 + i, f"gemm_{i}") for i in range(64)))
        for table, columns, rows in (("CUPTI_ACTIVITY_KIND_KERNEL", 9, kernels(count, collectives)),
                                     ("CUPTI_ACTIVITY_KIND_RUNTIME", 6, calls(count)),
                                     ("NVTX_EVENTS", 7, ranges(count))):
            out.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * columns)})", rows)
        out.commit()
        out.close()
        bench.paths[key] = path
    return bench.paths[key]


def plainly(bench):
    """Ranges are only read where they may tell what collectives do."""
    return bench.analysis(database(bench, False))


def by_range(bench):
    """With collectives, and what was launched in each range."""
    return (bench.popinjay, "parts", database(bench, True), "--by", "function", "--export", "-.csv")


def readable(bench):
    """A build may be without SQLite."""
    try:
        measure.run(*bench.analysis(database(bench, False)))
    except RuntimeError as problem:
        if "need SQLite" in str(problem):
            raise measure.NotMeasured("no SQLite") from problem
        raise


def over(seconds, command):
    def ratio(bench):
        readable(bench)
        allowed = seconds * kernel_count() / WHOLE
        return measure.best(measure.ROUNDS, *command(bench)).cpu / allowed
    return ratio


def memory(bench):
    readable(bench)
    return measure.peak(*by_range(bench)) / 256e6


RATIOS = [
    ("databases of nsys, no collectives, over 5 s (CPU)", over(5, plainly), 1, None),
    ("databases of nsys with ranges over 10 s (CPU)", over(10, by_range), 1, None),
    ("databases of nsys: peak memory over 256 MB", memory, 1, 1),
]
