"""tally.py STAGE: turns the log of `ctest -V` on standard input into result lines.

A result line is "pass|fail|skip<TAB>stage<TAB>name[<TAB>why skipped]". Every test inside a program
of cmocka or unittest counts; a program of another kind, or one that died before it could say what
failed, counts as one.
"""

import re
import sys

CMOCKA = re.compile(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] (\w+)$")
UNITTEST = re.compile(r"(\w+) \([\w.]+\) \.\.\. ")
VERDICT = re.compile(r"(?:.*\.\.\. )?(ok|FAIL|ERROR|skipped (?P<why>.*)|expected failure)$")
STATUS = {"OK": "pass", "FAILED": "fail", "SKIPPED": "skip", "ok": "pass", "FAIL": "fail",
          "ERROR": "fail", "expected failure": "pass"}


class Program:
    """What one program of ctest said about its tests."""

    def __init__(self):
        self.results = []
        self.running = None
        self.said = ""

    def end(self, status, why=""):
        self.results.append((status, self.running, why if status == "skip" else ""))
        self.running = None

    def take(self, line):
        mark, begun = CMOCKA.match(line), UNITTEST.match(line)
        if begun:
            self.running = begun[1]
        if mark and mark[1] == "RUN":
            self.running, self.said = mark[2], ""
        elif mark and mark[2] == self.running:  # not the list at the end
            self.end(STATUS[mark[1]], self.said)
        elif not mark and self.running:
            verdict = VERDICT.match(line)
            if verdict:
                self.end(STATUS.get(verdict[1], "skip"), (verdict["why"] or "").strip("'\""))
            self.said = line or self.said
        elif not mark:
            self.said = line or self.said


def tally(lines):
    programs = {}
    for line in lines:
        output = re.match(r"(\d+): (.*)$", line)
        if output:
            programs.setdefault(output[1], Program()).take(output[2].rstrip())
        end = re.match(r"\s*\d+/\d+ Test +#(\d+): (\S+) \.*[ *]*(\w+)", line)
        if not end:
            continue
        program, name = programs.get(end[1], Program()), end[2]
        yield from ((status, f"{name}: {test}", why) for status, test, why in program.results)
        failed = any(status == "fail" for status, _, _ in program.results)
        if end[3] == "Skipped":
            yield "skip", name, program.said
        elif end[3] != "Passed" and not failed:
            yield "fail", f"{name}: {program.running or 'as a whole'}", ""
        elif end[3] == "Passed" and not program.results:
            yield "pass", name, ""


def main(stage):
    found = False
    for status, name, why in tally(sys.stdin):
        print("\t".join([status, stage, name] + ([why] if why else [])))
        found = True
    if not found:
        print(f"fail\t{stage}\tno test ran")


if __name__ == "__main__":
    main(sys.argv[1])
