"""The command line and the environment of Score-P's Python bindings: python3 -m scorep."""

import os
import sys
import time

import popinjay
from popinjay import command, names, preload, recording, script

USAGE = """usage: python3 -m scorep [options] [--] script.py|-m module [arguments]

  --noinstrumenter, --nopython  functions only where the program asks for them
  --instrumenter-type=T         profile, trace, cProfile, cTrace: all the same; dummy: record nothing
  --instrumenter-file=F         a Python file that runs before the program
  --keep-files                  keep the parts that the archive was made of
  --verbose, -v                 say what is done
  --help                        this text

Options of Score-P (--mpp=, --thread=, --io=, --user, --nocompiler and others) are accepted. The
environment: SCOREP_ENABLE_TRACING (default: false), SCOREP_ENABLE_PROFILING (default: true),
SCOREP_EXPERIMENT_DIRECTORY, SCOREP_FILTERING_FILE, SCOREP_PROFILING_MAX_CALLPATH_DEPTH,
SCOREP_IO_POSIX (default: false; the same as --io=posix), SCOREP_METRIC_PAPI
(PAPI_TOT_INS,PAPI_TOT_CYC). Of both the profile is made from the trace.
"""

COMPLAINT = ("SCOREP_BINDING_PYTHON ERROR: There was a region exit without an enter!\n",
             "SCOREP_BINDING_PYTHON ERROR: For details look for \"error_region\" in the trace or "
             "profile.\n")
TYPES = ("profile", "trace", "cProfile", "cTrace", "dummy")
ACCEPTED = ("--mpp", "--mpi", "--nompi", "--thread", "--compiler", "--nocompiler", "--user",
            "--nouser", "--memory", "--nomemory", "--cuda", "--nocuda", "--opencl", "--noopencl",
            "--openmp", "--noopenmp", "--openacc", "--noopenacc", "--pdt", "--preprocess",
            "--nopreprocess", "--static", "--dynamic", "--mutex", "--dry-run")


def parse(words):
    options = {"functions": True, "type": "cProfile", "file": None, "verbose": False, "keep": False,
               "io": False}
    while words and words[0].startswith("-") and words[0] != "-m":
        word, _, value = words.pop(0).partition("=")
        if word == "--":
            break
        if word in ("-h", "--help"):
            sys.stdout.write(USAGE)
            sys.exit(0)
        elif word in ("--noinstrumenter", "--nopython"):
            options["functions"] = False
        elif word == "--instrumenter-type":
            if value not in TYPES:
                fail(f"--instrumenter-type={value}: one of {', '.join(TYPES)}")
            options["type"] = value
        elif word == "--instrumenter-file":
            options["file"] = value
        elif word in ("-v", "--verbose"):
            options["verbose"] = True
        elif word == "--keep-files":
            options["keep"] = True
        elif word == "--io":
            options["io"] = "posix" in value
        elif word not in ACCEPTED:
            sys.stderr.write(f"scorep: {word} is not known here and is left out\n")
    if not words or (words[0] == "-m" and len(words) < 2):
        fail("say which program")
    return options, words


def fail(text):
    sys.stderr.write(f"scorep: {text}\n{USAGE}")
    sys.exit(2)


def folder():
    """As Score-P names it, or as the environment says."""
    wanted = os.environ.get("SCOREP_EXPERIMENT_DIRECTORY")
    if not wanted:
        wanted = f"scorep-{time.strftime('%Y%m%d_%H%M')}_{time.perf_counter_ns()}"
    return recording.new_folder(wanted, "scorep")


def is_on(name, otherwise):
    value = os.environ.get(name)
    return otherwise if value is None else value.lower() in ("true", "yes", "on", "1")


def asked_for(options):
    """What is recorded, as options of the recorder; None = nothing."""
    asked = {} if options["functions"] else {"NO_PYTHON": "1"}
    traces = is_on("SCOREP_ENABLE_TRACING", False)
    if options["type"] == "dummy" or not (traces or is_on("SCOREP_ENABLE_PROFILING", True)):
        return None
    if not traces:
        asked["PROFILE"] = "1"
    if options["io"] or is_on("SCOREP_IO_POSIX", False):
        asked["IO"] = "1"
    if os.environ.get("SCOREP_METRIC_PAPI"):
        asked["COUNTERS"] = os.environ["SCOREP_METRIC_PAPI"]
    if os.environ.get("SCOREP_FILTERING_FILE"):
        asked["FILTER"] = os.path.abspath(os.environ["SCOREP_FILTERING_FILE"])
    if os.environ.get("SCOREP_PROFILING_MAX_CALLPATH_DEPTH"):
        asked["DEPTH"] = os.environ["SCOREP_PROFILING_MAX_CALLPATH_DEPTH"]
    return asked


def begin(options):
    try:
        asked = asked_for(options)
        if asked is not None:
            preload.again(asked)
        where = folder()
        popinjay.complaint = COMPLAINT
        if asked is None:
            return
        recording.tell_children(where, asked)
        recording.start_from_environment()
        recording.own(not options["verbose"], options["keep"],
                      is_on("SCOREP_ENABLE_TRACING", False) and is_on("SCOREP_ENABLE_PROFILING", True))
    except Exception as error:
        sys.stderr.write(f"scorep: nothing is recorded: {error}\n")


def run_before(path, words):
    """The instrumenter file sees the sys.path of the program."""
    if words[0] != "-m":
        script.set_path(os.path.dirname(os.path.realpath(words[0])))
    with open(path, "rb") as file:
        script.execute(file.read(), path, {"__name__": "instrumenter_file", "__file__": path})


def main(words):
    options, words = parse(list(words))
    names.serve()
    if not os.environ.get(recording.PREFIX):
        begin(options)
    if options["file"]:
        with popinjay.instrument(False):
            run_before(options["file"], words)
    command.run(words)
