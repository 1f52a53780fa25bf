"""Programs, bare and recorded by the popinjay of the command line, with one interpreter and hook."""

import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
POPINJAY = os.path.abspath(sys.argv[1])


class Bench:
    """An interpreter, a hook, and a folder of its own for each recording."""

    def __init__(self, python, hook, scratch):
        self.python = python
        self.hook = hook
        self.scratch = scratch
        self.count = 0
        text = subprocess.run([python, "-c", "import sys; print(*sys.version_info[:2])"],
                              capture_output=True, text=True, check=True).stdout
        self.version = tuple(map(int, text.split()))
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("POPINJAY", "SCOREP", "PYTHONPATH"))}

    def __str__(self):
        return f"Python {self.version[0]}.{self.version[1]}, hook {self.hook}"

    def folder(self):
        self.count += 1
        return os.path.join(self.scratch, f"{self.version[1]}-{self.hook}-{self.count}", "out")

    def run(self, *words, **options):
        environment = {**self.environment, **options.pop("environment", {})}
        return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120,
                              env=environment, **options)

    def bare(self, program, *arguments):
        return self.run(self.python, os.path.join(HERE, program), *arguments)

    def record(self, program, *arguments, options=()):
        """By the launcher; the result of the program and the archive's path."""
        out = self.folder()
        done = self.run(POPINJAY, "record", "-o", out, "--hook", self.hook, *options, "--",
                        self.python, os.path.join(HERE, program), *arguments)
        return done, os.path.join(out, "traces.otf2")

    def module(self, module, *words, **environment):
        """By python3 -m, with the folder for PYTHONPATH that popinjay tells."""
        path = self.run(POPINJAY, "record", "--pythonpath").stdout.strip()
        return self.run(self.python, "-m", module, *words,
                        environment={"PYTHONPATH": path, **environment})


def same(got, wanted, what):
    assert got == wanted, f"{what}: {got!r}, expected {wanted!r}"
