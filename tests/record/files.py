"""Input and output in named regions, by the ways that Python has: tests/record/run knows what."""

import mmap
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import warnings

import popinjay

warnings.simplefilter("ignore")  # a fork beside a thread that may have ended: said at times only

HERE = tempfile.mkdtemp()
FIRST, SECOND, COPY = (os.path.join(HERE, name) for name in ("first", "second", "copy"))


def plain():
    """One file by the functions of the system."""
    with popinjay.region("one file"):
        file = os.open(FIRST, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, b"a" * 1000)
        os.lseek(file, 10, os.SEEK_SET)
        got = os.read(file, 500)
        os.pwrite(file, b"b" * 20, 4000)
        os.fsync(file)
        os.close(file)
    return len(got)


def objects():
    """File objects of Python, buffered."""
    with popinjay.region("objects"):
        with open(SECOND, "w", encoding="ascii") as file:
            for i in range(1000):
                file.write(f"{i:09}\n")
        with open(SECOND, "rb") as file:
            return len(file.read())


def others():
    """What is no file is left out: pipes, sockets, folders, devices."""
    with popinjay.region("no files"):
        one, other = os.pipe()
        os.write(other, b"x" * 77)
        size = len(os.read(one, 77))
        os.close(one)
        os.close(other)
        left, right = socket.socketpair()
        left.sendall(b"y" * 78)
        size += len(right.recv(78))
        left.close()
        right.close()
        null = os.open(os.devnull, os.O_WRONLY)
        os.write(null, b"z" * 79)
        os.close(null)
    return size


def copies():
    """A descriptor that is copied, used and reused."""
    with popinjay.region("copies"):
        file = os.open(FIRST, os.O_RDONLY)
        copy = os.dup(file)
        os.close(file)
        size = len(os.read(copy, 100))
        third = os.open(SECOND, os.O_RDONLY)
        os.dup2(third, copy)
        size += len(os.read(copy, 30))
        os.close(copy)
        os.close(third)
    return size


def moves():
    """From file to file without the program."""
    with popinjay.region("moves"):
        shutil.copyfile(SECOND, COPY)
    return os.path.getsize(COPY)


def threads():
    """Each thread its own file."""
    def work(number):
        with open(os.path.join(HERE, str(number)), "wb", buffering=0) as file:
            for _ in range(50):
                file.write(bytes(number))
    all_of_them = [threading.Thread(target=work, args=(i,), name=f"writer {i}") for i in (1, 2, 3)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()


def forked():
    """A child goes on with a file of its parent."""
    file = os.open(FIRST, os.O_RDONLY)
    child = os.fork()
    if child == 0:
        with popinjay.region("in the child"):
            os.read(file, 64)
            os.close(file)
        os._exit(0)
    os.waitpid(child, 0)
    with popinjay.region("after the child"):
        size = len(os.read(file, 32))
        os.close(file)
    return size


def program():
    """Another program, which is not recorded, and its pipe."""
    return subprocess.run(["cat", FIRST], stdout=subprocess.PIPE, check=True).stdout[:10]


def direct():
    """Past the cache of the system, where the file system can."""
    try:
        file = os.open(COPY, os.O_RDWR | os.O_DIRECT)
    except OSError:
        return
    with popinjay.region("direct"):
        block = mmap.mmap(-1, 4096)
        try:
            os.writev(file, [block])
        except OSError:
            pass
        os.close(file)


def failing():
    """Errors are those of the system."""
    errors = []
    for what in (lambda: os.open("/none/such", os.O_RDONLY), lambda: os.read(987, 1),
                 lambda: os.close(987), lambda: os.lseek(987, 0, 0)):
        try:
            what()
        except OSError as error:
            errors.append(error.errno)
    return errors


try:
    print(plain(), objects(), others(), copies(), moves(), threads(), forked(), program(), direct(),
          failing())
    print("written to stderr", file=sys.stderr)
finally:
    shutil.rmtree(HERE)
