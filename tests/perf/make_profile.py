"""make_profile.py KIND PATH MEGABYTES: a profile as a sampler or tracer writes it, with realistic
names, fan-out and depths; the same bytes for the same arguments. KIND: collapsed, events, perf."""

import random
import sys

FUNCTIONS = 3000
MODULES = ("survey", "numpy/linalg", "mesh/refine", "io/writer", "solver/krylov", "comm/halo")
VERBS = ("apply", "compute", "gather", "scatter", "step", "norm", "update", "assemble")


def make_calls(names):
    """Each function and the few that it calls."""
    return {name: random.sample(names, 4) for name in names}


def walk(calls, first, depth, shares=None):
    """A call path; `shares`: how likely a function calls each of those that it may call."""
    stack = [first]
    while len(stack) < depth:
        stack.append(random.choices(calls[stack[-1]], shares)[0])
    return stack


def names_of_python():
    return [f"{random.choice(VERBS)}_{i} (project/src/{random.choice(MODULES)}.py:"
            f"{random.randrange(1, 900)})" for i in range(FUNCTIONS)]


def collapsed(size):
    """Stacks in no order, as a set of them is printed."""
    names = names_of_python()
    calls = make_calls(names)
    while size > 0:
        stack = walk(calls, names[0], random.randint(5, 13))
        line = f"{';'.join(stack)} {random.randrange(1, 500)}\n"
        size -= len(line)
        yield line


def events(size):
    """Slices in the order of their ends, nested, as viztracer writes them."""
    names = names_of_python()
    calls = make_calls(names)
    yield ('{"traceEvents": [{"ph": "M", "pid": 4711, "tid": 4711, "name": "process_name", '
           '"args": {"name": "MainProcess"}}')
    time, stack = 3225441136.0, [(0.0, names[0])]
    while size > 0:
        time += random.random() * 3
        if len(stack) < 13 and random.random() < 0.5:
            stack.append((time, random.choice(calls[stack[-1][1]])))
        elif len(stack) > 1:
            begin, name = stack.pop()
            text = (f', {{"pid": 4711, "tid": 4711, "ts": {begin:.3f}, "ph": "X", '
                    f'"dur": {time - begin!r}, "name": "{name}", "cat": "FEE"}}')
            size -= len(text)
            yield text
    yield "]}"


def perf(size):
    """Samples of four threads, the leaf first; most of them on the paths that are taken most."""
    shares = (90, 6, 3, 1)
    objects = ("/usr/lib/libc.so.6", "/opt/app/bin/solver", "[kernel.kallsyms]",
               "/opt/app/lib/libmesh.so.2")
    names = [f"_ZN4core{i}{random.choice(VERBS)}{random.randrange(99)}Ev" for i in range(FUNCTIONS)]
    where = {name: random.choice(objects) for name in names}
    calls = make_calls(names)
    time = 1000.0
    while size > 0:
        time += 0.001
        lines = [f"solver  {4711 + random.randrange(4)}  {time:.6f}:    "
                 f"{random.randrange(1000000, 2000000)} cycles:u: \n"]
        for name in reversed(walk(calls, names[0], random.randint(5, 30), shares)):
            lines.append(f"\t    {random.randrange(0x7f0000000000, 0x7fffffffffff):x} "
                         f"{name}+0x{random.randrange(0x40):x} ({where[name]})\n")
        text = "".join(lines) + "\n"
        size -= len(text)
        yield text


KINDS = {"collapsed": collapsed, "events": events, "perf": perf}

if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(__doc__)
    random.seed(7)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for part in KINDS[sys.argv[1]](int(sys.argv[3]) * 1000000):
            out.write(part)
