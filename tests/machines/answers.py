#!/usr/bin/python3
"""tests/machines/answers.py POPINJAY: answers in JSON against their schemas, and against the CSV.

Every command that has --json is called at least once, also those to come. Exit 77 without python3-jsonschema.
"""

import csv
import glob
import io
import json
import os
import subprocess
import sys
import unittest

try:
    from jsonschema import Draft202012Validator
except ImportError as error:
    print(error)
    sys.exit(77)

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
STENCIL = sorted(glob.glob(TOP + "/notebooks/traces/stencil_*.prv.gz"))
HYBRID = sorted(glob.glob(TOP + "/notebooks/traces/hybrid_*.prv.gz"))
PROFILES = sorted(glob.glob(TOP + "/notebooks/profiles/cpu_*.prof"))
ONE = TOP + "/notebooks/traces/stencil_4x1.prv.gz"
TWO = TOP + "/notebooks/traces/stencil_8x1.prv.gz"
CUBE = TOP + "/tests/samples/cubex/grid.cubex"

# By command: the arguments of its calls; others with --json are called with one trace,
# where that is enough for them.
CALLS = {
    "metrics": [STENCIL, HYBRID + ["--set", "hybrid-bsc"], [ONE], [ONE, "--causes"]],
    "houses": [STENCIL],
    "overview": [[ONE]],
    "stats": [[ONE]],
    "profile": [PROFILES, [PROFILES[0], "--pstats"], PROFILES + ["--by", "rank,function"]],
    "waits": [[ONE]],
    "regions": [HYBRID[:1]],
    "plot": [["scaling"] + STENCIL, ["ranks", ONE]],
    "timeline": [[ONE]],
    "replay": [[ONE], [ONE, "--ranks"]],
    "events": [[ONE, "--by", "type", "--count"], [ONE, "--type", "MPI_Isend"]],
    "compare": [[ONE, TWO]],
    "model": [STENCIL],
    "gate": [[ONE, TWO], [ONE, ONE]],
    "info": [[ONE], STENCIL],
    "examples": [[]],
    "score": [[CUBE]],
    "install": [["--check"]],
    "preprocess": [],  # writes
}


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


def answer(command, words, *more):
    done = run(command, *words, "--json", *more)
    if not done.stdout:
        raise AssertionError(f"{command}: no answer: {done.stderr}")
    return json.loads(done.stdout)


def schema(command):
    return json.loads(run("help", "--schema", command).stdout)


def number(text):
    try:
        return float(text)
    except ValueError:
        return text.removeprefix("'")


class Answers(unittest.TestCase):
    def check(self, command, words):
        made = answer(command, words)
        form = schema(command)
        Draft202012Validator.check_schema(form)
        Draft202012Validator(form).validate(made)
        for row in made.get("rows", []):
            self.assertLessEqual({c["key"] for c in made["columns"]}, row.keys())
            for key, reason in row.get("reasons", {}).items():
                self.assertIsNone(row[key])
                self.assertTrue(reason)
        return made

    def test_every_command_keeps_its_schema(self):
        listed = [line.split()[0] for line in run("help").stdout.splitlines()
                  if line.startswith("  ") and not line.startswith("  popinjay")]
        having = [name for name in listed if "\n  --json\n" in run("help", name).stdout]
        self.assertLessEqual(set(CALLS), set(having))
        for command in having:
            answers = command not in CALLS and run(command, ONE, "--json").stdout
            for words in CALLS.get(command, [[ONE]] if answers else []):
                with self.subTest(command=command, words=words[-2:]):
                    self.check(command, words)

    def test_numbers_are_those_of_the_csv(self):
        for command, words in (("metrics", STENCIL), ("stats", [ONE]), ("profile", PROFILES),
                               ("events", [ONE, "--by", "rank", "--count"])):
            rows = answer(command, words)["rows"]
            sheet = list(csv.DictReader(io.StringIO(run(command, *words, "--export", "-.csv").stdout)))
            self.assertEqual(len(rows), len(sheet))
            for got, want in zip(rows, sheet):
                for key, text in want.items():
                    value = got[key]
                    self.assertEqual(number(text), "" if value is None else value, (command, key))

    def test_what_metrics_say_of_themselves(self):
        made = answer("metrics", STENCIL, "--ref", "2")
        self.assertEqual(made["contract"], 1)
        self.assertEqual(made["set"]["key"], "mpi")
        self.assertIn("Additive", made["set"]["convention"])
        self.assertEqual(made["reference"]["row"], 2)
        self.assertEqual(made["rows"][1]["trace"], made["reference"]["trace"])
        self.assertEqual(made["scaling"], "strong")
        alone = answer("metrics", [ONE])
        self.assertIsNone(alone["reference"])
        self.assertTrue(alone["reference_reason"])
        self.assertIsNone(alone["rows"][0]["speedup"])
        self.assertIn("speedup", alone["rows"][0]["reasons"])
        self.assertIn("one_size", [remark["key"] for remark in alone["remarks"]])

    def test_parts_make_the_whole(self):
        words = [ONE, "--type", "MPI_Isend"]
        whole = answer("events", words)
        self.assertIsNone(whole["truncated"])
        rows, more = [], ["--json-from", "1"]
        while more:
            part = answer("events", words, "--json-rows", "37", *more)
            Draft202012Validator(schema("events")).validate(part)
            self.assertEqual(part["truncated"]["rows"], len(whole["rows"]))
            rows += part["rows"]
            more = part["truncated"].get("rest", "").split()
        self.assertEqual(rows, whole["rows"])

    def test_beyond_the_end(self):
        self.assertEqual(answer("stats", [ONE], "--json-from", "999")["rows"], [])

    def test_oddities_have_keys(self):
        text = subprocess.run(["zcat", ONE], capture_output=True, check=True).stdout
        broken = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"answers-{os.getpid()}.prv")
        with open(broken, "wb") as file:
            file.write(text.replace(b"\n", b"\nnonsense\n", 3))
        try:
            for command in ("metrics", "stats"):
                done = run(command, broken, "--json")
                remarks = {r["key"]: r["severity"] for r in json.loads(done.stdout)["remarks"]}
                self.assertEqual(remarks["unknown_record"], "warning")
        finally:
            os.remove(broken)

    def test_errors_leave_standard_output_empty(self):
        done = run("metrics", "/no/such/file.prv", "--json")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("/no/such/file.prv", done.stderr)
        self.assertEqual(run("help", "--schema").returncode, 2)


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    unittest.main(verbosity=2)
