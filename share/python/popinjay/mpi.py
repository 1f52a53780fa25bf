"""MPI of Python programs: shortly before mpi4py is imported the wrappers of its MPI are opened for
everybody, so that its calls go through them."""

import os
import sys

LIBRARIES = {"libmpi.so.40": "popinjay-record-openmpi.so",
             "libmpi.so.12": "popinjay-record-mpich.so",
             "libmpich.so.12": "popinjay-record-mpich.so"}


def libraries_of(folders):
    """Those of MPI that mpi4py's extension needs, by their names."""
    for folder in folders:
        for name in os.listdir(folder):
            if name.startswith("MPI.") and name.endswith(".so"):
                with open(os.path.join(folder, name), "rb") as file:
                    parts = file.read().split(b"\0")
                return [part.decode() for part in parts
                        if part.startswith(b"libmpi") and b".so" in part and part.isascii()]
    return []


def made_here(library, places):
    """Wrappers that popinjay record --build-mpi has made; those that are older than the recorder
    are told of and left out."""
    data = os.environ.get("XDG_DATA_HOME", "")
    if not data.startswith("/"):
        data = os.path.join(os.environ.get("HOME", "/"), ".local", "share")
    path = os.path.join(data, "popinjay", "mpi", "popinjay-record-" + library)
    recorders = [os.path.join(place, "popinjay-record.so") for place in places]
    if not os.path.exists(path):
        return None
    if all(os.stat(path).st_ctime > os.stat(one).st_ctime for one in recorders if os.path.exists(one)):
        return path
    sys.stderr.write(f"popinjay: the wrappers made for {library} are older than the recorder and "
                     "left out: popinjay record --build-mpi mpicc makes them anew\n")
    return None


def wrappers_of(folders, places):
    """The wrappers for the MPI that mpi4py's extension needs. LookupError: there are none."""
    libraries = libraries_of(folders)
    for library in libraries:
        path = made_here(library, places)
        if path:
            return path
    for ours in (LIBRARIES[library] for library in libraries if library in LIBRARIES):
        for path in (os.path.join(place, ours) for place in places):
            if os.path.exists(path):
                return path
    if libraries:
        raise LookupError(f"there are no wrappers for {libraries[0]}; popinjay record "
                          "--build-mpi mpicc makes them")
    return None


class Finder:
    """Finds nothing, but sees what is looked for. `places` are the folders of the wrappers."""

    places = ()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == "mpi4py.MPI":
            sys.meta_path.remove(cls)
            try:
                cls.open_wrappers(path)
            except Exception as error:  # never the program's trouble
                sys.stderr.write(f"popinjay: messages are not recorded: {error}\n")
        return None

    @classmethod
    def open_wrappers(cls, path):
        wrappers = wrappers_of(path or (), cls.places)
        if wrappers:
            import _ctypes
            _ctypes.dlopen(wrappers, os.RTLD_NOW | os.RTLD_GLOBAL)


def watch(places):
    Finder.places = tuple(places)
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
