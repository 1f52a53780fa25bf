"""MPI of Python programs: shortly before mpi4py is imported the wrappers of its MPI are opened for
everybody, so that its calls go through them."""

import os
import sys

LIBRARIES = ((b"libmpi.so.40\0", "popinjay-record-openmpi.so"),
             (b"libmpi.so.12\0", "popinjay-record-mpich.so"),
             (b"libmpich.so.12\0", "popinjay-record-mpich.so"))


def wrappers_of(folders):
    """The wrappers for the MPI that mpi4py's extension needs; None for another MPI."""
    for folder in folders:
        for name in os.listdir(folder):
            if name.startswith("MPI.") and name.endswith(".so"):
                with open(os.path.join(folder, name), "rb") as file:
                    needs = file.read()
                return next((ours for theirs, ours in LIBRARIES if theirs in needs), None)
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
        wrappers = wrappers_of(path or ())
        place = next((place for place in cls.places
                      if wrappers and os.path.exists(os.path.join(place, wrappers))), None)
        if place:
            import _ctypes
            _ctypes.dlopen(os.path.join(place, wrappers), os.RTLD_NOW | os.RTLD_GLOBAL)


def watch(places):
    Finder.places = tuple(places)
    if Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)
