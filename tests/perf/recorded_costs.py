"""What recording a Python program costs, as ratios of CPU times: its calls, the whole program."""

import os
import shutil
import subprocess
import sys

import measure
from measure import ROUNDS

HERE = os.path.dirname(os.path.abspath(__file__))
EMPTY, CALLS, CONTEXTS = "recorded_empty.py", "recorded_calls.py", "recorded_contexts.py"


def own_environment(bench):
    place = subprocess.run([bench.popinjay, "record", "--pythonpath"], check=True,
                           capture_output=True, text=True).stdout.strip()
    return {**os.environ, "PYTHONPATH": place}


def compile_modules(bench):
    """As an installation has them: a start does not compile them."""
    if "compiled" not in bench.paths:
        place = os.path.dirname(own_environment(bench)["PYTHONPATH"])
        subprocess.run([sys.executable, "-m", "compileall", "-q", place], check=True)
        bench.paths["compiled"] = place


def folder(bench):
    """A name where nothing is: neither a recording nor a file of cProfile's."""
    path = os.path.join(bench.scratch, "recorded")
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)
    return path


def loads(bench, *hows):
    """Of each way to run: ns a call of each load, the least of some rounds in turn."""
    if hows not in bench.paths:
        least = {}
        for _ in range(ROUNDS):
            for how in hows:
                words = [sys.executable, os.path.join(HERE, CALLS), how, folder(bench)]
                done = subprocess.run(words, check=True, capture_output=True, text=True,
                                      env=own_environment(bench))
                got = [float(word) for word in done.stdout.split()]
                least[how] = [min(pair) for pair in zip(got, least.get(how, got))]
        bench.paths[hows] = least
    return bench.paths[hows]


def asked(bench, load, *hows):
    """ns a call of one load; behind the last of them all are measured anew when asked again."""
    times = loads(bench, *hows)
    if load:
        del bench.paths[hows]
    return [times[how][load] for how in hows]


def added(load, how="record"):
    """What tracing adds to a call / what cProfile without builtins adds."""
    def ratio(bench):
        none, cprofile, recorded = asked(bench, load, "none", "cprofile", how)
        return (recorded - none) / (cprofile - none)
    return ratio


def filtered(load):
    """A call of a function that is not recorded / a bare one."""
    def ratio(bench):
        none, recorded = asked(bench, load, "none", "filtered")
        return recorded / none
    return ratio


def memory(bench):
    """MiB of memory that recording adds to a thread."""
    bare, recorded = (float(subprocess.run(
        [sys.executable, os.path.join(HERE, "recorded_memory.py"), how, folder(bench)], check=True,
        capture_output=True, text=True, env=own_environment(bench)).stdout)
        for how in ("none", "record"))
    return (recorded - bare) / 2 ** 20


def whole_cpu(bench, program, how):
    """In a folder that is no working copy: saying which version of the code it is, is git's cost."""
    compile_modules(bench)
    path = os.path.join(HERE, program)
    words = {"none": (sys.executable, path),
             "cprofile": (sys.executable, "-m", "cProfile", "-o", folder(bench), path),
             "record": (bench.popinjay, "record", "-q", "-o", folder(bench), "--", sys.executable,
                        path)}[how]
    return measure.run(*words, cwd=bench.scratch).cpu


def whole(program, other):
    """CPU time of the program, recorded and merged / run otherwise."""
    def ratio(bench):
        times = {how: min(whole_cpu(bench, program, how) for _ in range(ROUNDS))
                 for how in ("record", other)}
        return times["record"] / times[other]
    return ratio


def region(bench):
    """`with region(name)` / `with` an empty class of Python."""
    least = [float("inf")] * 2
    for _ in range(ROUNDS):
        words = [sys.executable, os.path.join(HERE, CONTEXTS), folder(bench)]
        done = subprocess.run(words, check=True, capture_output=True, text=True,
                              env=own_environment(bench))
        least = [min(pair) for pair in zip(least, map(float, done.stdout.split()))]
    return least[0] / least[1]


def extra(bench, load, how, *options):
    """ns of a line or of a read, bare, traced by Python, or recorded with options."""
    words = [sys.executable, os.path.join(HERE, "recorded_extras.py"), load, how]
    if options:
        words = [bench.popinjay, "record", "-q", "-o", folder(bench), *options, "--", *words]
    done = subprocess.run(words, check=True, capture_output=True, text=True, cwd=bench.scratch)
    return float(done.stdout)


def lines(bench):
    """What recording adds to a chosen line / what an empty function of sys.settrace adds."""
    bare = extra(bench, "lines", "bare")
    return (extra(bench, "lines", "bare", "--lines=lines") - bare) / \
           (extra(bench, "lines", "traced") - bare)


def extra_over_bare(load, *options):
    def ratio(bench):
        return extra(bench, load, "bare", *options) / extra(bench, load, "bare")
    return ratio


NEW = sys.version_info >= (3, 12)
RATIOS = [
    ("recorded call over cProfile's: fib (CPU)", added(0), 0.55 if NEW else 0.35, 1.3),
    ("recorded call over cProfile's: mixed (CPU)", added(1), 0.35 if NEW else 0.2, 1.3),
    ("program recorded and merged over bare (CPU)", whole("recorded_program.py", "none"), 1.35, 1.3),
    ("program recorded and merged over cProfile (CPU)", whole("recorded_program.py", "cprofile"),
     0.65, 1.3),
    ("empty script recorded and merged over cProfile (CPU)", whole(EMPTY, "cprofile"), 0.9, 1.3),
    ("read of a byte with --io over bare (CPU)", extra_over_bare("reads", "--io"), 1.5, 1.3),
    ("program sampled each ms over bare (CPU)", extra_over_bare("lines", "--sample=1ms"), 1.1, 1.3),
    ("with region over an empty context class (CPU)", region, 0.8, 1.3),
    ("MiB that recording adds to a thread", memory, 1, 1),
]
if NEW:
    RATIOS += [("filtered call over a bare one: fib (CPU)", filtered(0), 1.15, 1.3),
               ("filtered call over a bare one: mixed (CPU)", filtered(1), 1.15, 1.3)]
else:
    RATIOS += [("chosen line over one of sys.settrace (CPU)", lines, 1, 1.3),
               ("counted call over cProfile's: fib (CPU)", added(0, "profile"), 0.3, 1.3),
               ("counted call over cProfile's: mixed (CPU)", added(1, "profile"), 0.15, 1.3)]
