"""python3 -m popinjay [options] [--] script.py|-m module [arguments]: records a program."""

import sys

from popinjay import command

if __name__ == "__main__":
    command.main(sys.argv[1:])
