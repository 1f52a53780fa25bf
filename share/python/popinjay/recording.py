"""The recording of this process: where it goes, how it begins and ends."""

import os
import sys

import popinjay
from popinjay import absent, mpi

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SITE = os.path.join(ROOT, "site")
PREFIX = "POPINJAY_RECORD"
API = ("region", "begin", "on", "off")
RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
JOBS = ("PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID")

owner = None  # the process that merges, its folder
folder = None
quiet = False
keep = False  # the parts that the archive is made of
profile = False  # beside the trace


def libraries():
    """Folders that may hold the extension, beside the data that this file is part of."""
    above = ROOT
    while os.path.basename(above) not in ("", "share"):
        above = os.path.dirname(above)
    prefix = os.path.dirname(above)
    for name in ("lib", "lib64"):
        place = os.path.join(prefix, name)
        yield os.path.join(place, "popinjay")
        if os.path.isdir(place):  # Debian's lib/x86_64-linux-gnu
            for triplet in os.listdir(place):
                if "-" in triplet:
                    yield os.path.join(place, triplet, "popinjay")


def program():
    """The popinjay that this file came with, or the first one in PATH."""
    share = ROOT
    while os.path.basename(share) not in ("", "share"):
        share = os.path.dirname(share)
    path = os.path.join(os.path.dirname(share), "bin", "popinjay")
    for one in [path] + [os.path.join(p, "popinjay") for p in os.environ.get("PATH", "").split(":")]:
        if os.access(one, os.X_OK):
            return one
    return None


def load():
    """The extension."""
    if "_popinjay" in sys.modules:
        return sys.modules["_popinjay"]
    from _frozen_importlib import ModuleSpec, _load
    from _frozen_importlib_external import ExtensionFileLoader
    reason = "the extension _popinjay.abi3.so is not installed"
    for place in libraries():
        path = os.path.join(place, "_popinjay.abi3.so")
        if os.path.exists(path):
            spec = ModuleSpec("_popinjay", ExtensionFileLoader("_popinjay", path), origin=path)
            return _load(spec)
    raise ImportError(reason)


def start(where, hook="auto", everything=False, functions=True, most=0):
    """Records this process into the folder. An exception says why it cannot be."""
    global folder
    native = load()
    native.start(where, ROOT + "/", hook, everything, functions, most)
    folder = where
    mpi.watch(libraries())
    popinjay.native = native
    for name in API:
        setattr(popinjay, name, getattr(native, name))
    if sys.version_info < (3, 11):
        import atexit
        atexit.register(native.forget)  # the last of all


def start_from_environment():
    """What `popinjay record` has asked for."""
    get = os.environ.get
    start(os.environ[PREFIX], get(PREFIX + "_HOOK") or "auto", get(PREFIX + "_ALL") == "1",
          get(PREFIX + "_NO_PYTHON") != "1", int(get(PREFIX + "_MAX_SIZE") or 0))
    if get(PREFIX + "_LINES"):
        import builtins
        if not hasattr(builtins, "profile"):
            builtins.profile = popinjay.native.lines
    if get(PREFIX + "_SAMPLE"):
        os.register_at_fork(after_in_child=popinjay.native.sample)
    if get(PREFIX + "_CHILDREN") == "no":
        leave_children_alone()


def leave_children_alone():
    os.environ.pop(PREFIX, None)
    os.register_at_fork(after_in_child=popinjay.native.stop)


def tell_children(where, options):
    """Python programs that this one starts are recorded into the same folder."""
    os.environ[PREFIX] = where
    os.environ[PREFIX + "_MERGE"] = "later"
    for key, value in options.items():
        os.environ[PREFIX + "_" + key] = value
    paths = os.environ.get("PYTHONPATH", "").split(":")
    if SITE not in paths:
        os.environ["PYTHONPATH"] = ":".join([SITE] + [path for path in paths if path])


def rank():
    """The place of this process among those that a launcher of MPI started; None without one."""
    return next((os.environ[name] for name in RANKS if name in os.environ), None)


def stamp(seconds=None):
    import time
    return time.strftime("%Y%m%d-%H%M%S", time.localtime(seconds))


def new_folder(wanted, name):
    """A folder for this recording: an existing one is renamed by its date, never overwritten."""
    if rank() is not None:  # all processes of the job have to agree
        job = next((os.environ[key] for key in JOBS if key in os.environ), "mpi")
        path = os.path.abspath(wanted or f"{name}-{job.replace('/', '_')}")
        os.makedirs(path, exist_ok=True)
        return path
    path = os.path.abspath(wanted or f"{name}-{stamp()}")
    if os.path.lexists(path) and not (os.path.isdir(path) and not os.listdir(path)):
        free = f"{path}-{stamp(os.path.getmtime(path))}"
        while os.path.lexists(free):
            free += "-1"
        os.rename(path, free)
    os.makedirs(path, exist_ok=True)
    return path


def own(silent=False, keeps=False, profiles=False):
    """This process merges at its end; of those of a job of MPI the first one."""
    global owner, quiet, keep, profile
    import atexit
    keep, profile = keeps, profiles
    owner = os.getpid() if rank() in (None, "0") else None
    quiet = silent
    atexit.register(end)


def merge():
    """The parts as an archive, by the program; its line goes to standard error."""
    path = program()
    if not path:
        sys.stderr.write(f"popinjay: the program popinjay was not found; popinjay merge {folder} "
                         "makes an archive of what was recorded\n")
        return
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith((PREFIX, *RANKS))}
    read, write = os.pipe()
    actions = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
               (os.POSIX_SPAWN_DUP2, write, 2)]
    words = [path, "merge", folder]
    words += ["--keep-files"] * keep + ["--profile"] * profile
    pid = os.posix_spawn(path, words, environment, file_actions=actions)
    os.close(write)
    with open(read, encoding="utf-8", errors="replace") as lines:
        said = lines.read()
    failed = os.waitpid(pid, 0)[1] != 0
    if failed or not quiet:
        sys.stderr.write(said)


def end_mpi():
    """What mpi4py does behind the last handler, where nothing can be merged any more."""
    loaded = sys.modules.get("mpi4py.MPI")
    if (loaded and sys.modules["mpi4py"].rc.finalize is not False
            and loaded.Is_initialized() and not loaded.Is_finalized()):
        loaded.Finalize()


def finish():
    """Later events are dropped; the process that owns the recording merges it."""
    global owner
    if popinjay.native is absent:
        return
    popinjay.native.stop()
    if owner == os.getpid():
        owner = None
        merge()


def end():
    """The last that a program does."""
    if popinjay.native is not absent and rank() is not None:
        end_mpi()
    finish()
