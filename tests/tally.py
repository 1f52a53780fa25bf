"""tally.py ctest|unittest STAGE: turns a log on standard input into result lines.

A result line is "pass|fail|skip<TAB>stage<TAB>name[<TAB>why skipped]". Every cmocka test counts;
a program of another kind, or one that died before it could say so, counts as one.
"""

import re
import sys


class Program:
    """What one program of ctest said about its tests."""

    def __init__(self):
        self.results = []
        self.running = None
        self.said = ""

    def take(self, line):
        mark = re.match(r"\[ *(RUN|OK|FAILED|SKIPPED) *\] (\w+)$", line)
        if not mark:
            self.said = line or self.said
        elif mark[1] == "RUN":
            self.running, self.said = mark[2], ""
        elif mark[2] == self.running:  # not the list at the end
            status = {"OK": "pass", "FAILED": "fail", "SKIPPED": "skip"}[mark[1]]
            self.results.append((status, mark[2], self.said if status == "skip" else ""))
            self.running = None


def tally_ctest(lines):
    programs = {}
    for line in lines:
        output = re.match(r"(\d+): (.*)$", line)
        if output:
            programs.setdefault(output[1], Program()).take(output[2].rstrip())
        end = re.match(r"\s*\d+/\d+ Test +#(\d+): (\S+) \.*[ *]*(\w+)", line)
        if not end:
            continue
        program = programs.get(end[1], Program())
        yield from ((status, f"{end[2]}: {name}", why) for status, name, why in program.results)
        passed = end[3] == "Passed"
        if passed and not program.results:
            yield "pass", end[2], ""
        if not passed and not any(status == "fail" for status, _, _ in program.results):
            yield "fail", f"{end[2]}: {program.running or 'as a whole'}", ""


def tally_unittest(lines):
    said = None
    for line in lines:
        name = re.match(r"(\w+ \([\w.]+\))", line)
        said = name[1] if name else said
        end = re.search(r"\.\.\. (.*\s)?(ok|FAIL|ERROR|skipped .*|expected failure)$", line)
        end = end or (said and re.match(r"()(ok|FAIL|ERROR|skipped .*)$", line))
        if end and said:
            status = {"o": "pass", "e": "pass", "F": "fail", "E": "fail", "s": "skip"}[end[2][0]]
            yield status, said, end[2][8:].strip("'\"") if status == "skip" else ""
            said = None
        broken = re.match(r"(ERROR|FAIL): (setUpClass|tearDownClass|setUpModule) \((.*)\)", line)
        if broken:
            yield "fail", f"{broken[2]} {broken[3]}", ""


def main(kind, stage):
    tally = {"ctest": tally_ctest, "unittest": tally_unittest}[kind]
    found = False
    for status, name, why in tally(sys.stdin):
        print("\t".join([status, stage, name] + ([why] if why else [])))
        found = True
    if not found:
        print(f"fail\t{stage}\tno test ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
