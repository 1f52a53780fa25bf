"""The command line of `python3 -m popinjay`."""

import os
import sys

from popinjay import names, preload, recording, script

USAGE = """usage: python3 -m popinjay [options] [--] script.py|-m module [arguments]

Runs a Python program and writes a trace of its functions, of all threads and child processes,
as an OTF2 archive: DIR/traces.otf2.

  -o, --out DIR       the folder (default: name, date and time of the program)
  --profile           count calls by call path in place of a trace: DIR/profile.cubex, and
                      DIR/prof/RANK.prof for pstats; with --trace beside the trace, made of it
  -f, --filter FILE   a filter file of Score-P: which functions are left out
  --modules M,...     functions of these modules alone
  --exclude P,...     functions to leave out, as *:<listcomp>
  --include P,...     functions that are recorded all the same
  --min-duration T    calls that take less are taken out of the trace: 10us
  --auto-off N:T      functions that were called N times, taking less than T, are recorded no more
  --depth N           of a profile: calls within each other that have paths of their own
  --io                input and output too, with files and bytes; Python is started once more for it
  --memory[=T]        how much memory it has, read every 10ms, or T: DIR/memory/RANK.dat
  --memory=calls      allocations of Python and their bytes: at regions, or of each call path
  --lines P,...       hits and time of each line of these functions, and of those with @profile:
                      DIR/lines/RANK.lprof (from 3.9 on)
  --c-functions P,... functions and methods of C that Python calls, too: numpy*, builtins.list:sort
  --blas              functions of BLAS that C calls (numpy); Python is started once more for it
  --counters NAME,... of the processor, by perf events: instructions,cycles, task-clock, page-faults
  --sample T          a profile by looking every T (1ms) at what runs, in place of calls (3.9 to 3.13)
  --hook H            auto, frame (3.9 to 3.11), monitor (from 3.12 on), profile
  --all               functions of importlib and of frozen modules, too
  --no-python         only regions and switched-on functions of the program itself
  --children yes|no   whether Python processes that it starts are recorded (default: yes)
  --max-size BYTES    of the events of one process: 500M, 2G; then the recording ends
  --keep-files        keep the parts that the archive was made of
  -q, --quiet         print nothing when all goes well
"""

FLAGS = {"--all": "ALL", "--profile": "PROFILE", "--no-python": "NO_PYTHON", "--trace": "TRACE",
         "--keep-files": "KEEP", "--io": "IO", "--blas": "BLAS", "-q": "QUIET", "--quiet": "QUIET"}
VALUES = {"-o": "OUT", "--out": "OUT", "-f": "FILTER", "--filter": "FILTER"}
VALUES.update({"--" + name: name.upper().replace("-", "_")
               for name in ("hook", "children", "max-size", "depth", "modules", "exclude",
                            "include", "min-duration", "sample", "lines", "c-functions", "auto-off",
                            "counters")})
BARE = {"--memory": ("MEMORY", "10ms")}  # values are behind a =
UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def fail(text):
    sys.stderr.write(f"python3 -m popinjay: {text}\n")
    sys.exit(2)


def size(text):
    unit = UNITS.get(text[-1:].lower(), 1)
    number = text[:-1] if unit > 1 else text
    if not number.isdigit():
        fail(f"--max-size {text}: a number of bytes, as in 500M")
    return str(int(number) * unit)


def parse(words):
    """Options by the last part of their name in the environment, and the program's words."""
    options = {}
    while words and words[0].startswith("-") and words[0] != "-m":
        word, _, value = words.pop(0).partition("=")
        if word == "--":
            break
        if word in ("-h", "--help"):
            sys.stdout.write(USAGE)
            sys.exit(0)
        if word in FLAGS:
            options[FLAGS[word]] = "1"
        elif word in BARE:
            options[BARE[word][0]] = value or BARE[word][1]
        elif word in VALUES and (value or words):
            options[VALUES[word]] = value or words.pop(0)
        else:
            fail(f"{word}: unknown, or its value is missing\n{USAGE}")
    if not words or (words[0] == "-m" and len(words) < 2):
        fail(f"say which program\n{USAGE}")
    if "MAX_SIZE" in options:
        options["MAX_SIZE"] = size(options["MAX_SIZE"])
    if "FILTER" in options:
        options["FILTER"] = os.path.abspath(options["FILTER"])
    return options, words


def name_of(words):
    name = words[1] if words[0] == "-m" else os.path.basename(os.path.abspath(words[0]))
    return name[:-3] if name.endswith(".py") else name


def begin(words, options):
    """Starts the recorder; without it the program runs all the same."""
    preload.again(options)
    silent, keeps = bool(options.pop("QUIET", None)), bool(options.pop("KEEP", None))
    both = bool(options.pop("TRACE", None)) and bool(options.pop("PROFILE", None))
    try:
        where = recording.new_folder(options.pop("OUT", None), name_of(words))
        recording.tell_children(where, options)
        recording.start_from_environment()
        recording.own(silent, keeps, both)
    except Exception as error:
        sys.stderr.write(f"popinjay: nothing is recorded: {error}\n")


def run(words):
    with script.errors_as_without_us():
        if words[0] == "-m":
            script.run_module(words[1], words[2:])
        else:
            script.run_script(words[0], words[1:])


def main(words):
    options, words = parse(list(words))
    if words[0] != "-m" and not os.path.exists(words[0]):
        sys.stderr.write(f"{sys.executable}: can't open file {os.path.abspath(words[0])!r}: "
                         "[Errno 2] No such file or directory\n")
        sys.exit(2)
    names.serve()
    if os.environ.get(recording.PREFIX):  # the launcher has begun already
        if recording.folder is None:
            begin(words, {**options, "OUT": os.environ[recording.PREFIX]})
    else:
        begin(words, options)
    run(words)
