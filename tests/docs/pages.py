#!/usr/bin/python3
"""tests/docs/pages.py POPINJAY: the site builds without a warning, and nothing lacks its entry.

Exit 77 where the generator is missing.
"""

import glob
import html
import os
import re
import subprocess
import sys
import tempfile
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PAGES = ["index", "tour", "traces", "notebook", "profiles", "record", "devices", "clusters", "frompypop",
         "agreement", "performance", "security", "commands", "lua", "metrics", "causes", "definitions",
         "formats", "settings"]


def said(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def page(name):
    with open(f"{FOLDER}/html/{name}.html", encoding="utf-8") as file:
        return html.unescape(re.sub(r"<[^>]+>", "", file.read()))


def rows(path, pattern):
    with open(f"{TOP}/{path}", encoding="utf-8") as file:
        return re.findall(pattern, file.read(), re.M)


def folded(text):
    return " ".join(text.split())


class Site(unittest.TestCase):
    def has(self, name, wanted):
        self.assertTrue(wanted)
        text = page(name)
        for word in wanted:
            self.assertIn(word, text, name)

    def test_every_page_is_there(self):
        made = {os.path.basename(path)[:-5] for path in glob.glob(f"{FOLDER}/html/*.html")}
        self.assertEqual(made - {"genindex", "search"}, set(PAGES))

    def test_every_command_has_its_entry(self):
        text = folded(page("commands"))
        commands = re.findall(r"^  (\w+) +[A-Z].*$", said("help"), re.M)
        self.assertGreater(len(commands), 30)
        for command in commands:
            told = said("help", command)
            self.assertIn(folded(told.split("\n\n")[0]), text)
            for heading in re.findall(r"^  (-.*)$", told, re.M):
                self.assertIn(heading, text)

    def test_every_set_and_metric_has_its_entry(self):
        sets = rows("metrics/pop/metricsets.def", r'^#include "metrics/pop/sets/(.*)\.def"')
        self.has("metrics", sets + re.findall(r"^- \*\*.*?\*\* \(`(\w+)`\)", said("help", "--metrics"), re.M))

    def test_every_format_has_its_entry(self):
        names = set(rows("metrics/read/readers.def", r"^READER\((\w+)\)")) - {"refused"}
        self.has("formats", [f"({name})" for name in names])

    def test_every_setting_has_its_entry(self):
        self.has("settings", rows("kernel/command/settings.def", r'^SETTING\(\w+, "(\w+)"'))

    def test_every_cause_has_its_entry(self):
        self.has("causes", rows("metrics/analyse/faults/faults.def", r"^FAULT\((\w+),"))
        self.has("causes", rows("metrics/run/waits/wait_patterns.def", r"^PATTERN\((\w+),"))

    def test_every_member_of_the_language_has_its_entry(self):
        self.has("lua", re.findall(r"^  (\S.*)$", said("help", "lua"), re.M))

    def test_pictures_are_drawn(self):
        pictures = glob.glob(f"{FOLDER}/html/_images/*.svg")
        self.assertGreater(len(pictures), 8)
        for picture in pictures:
            self.assertGreater(os.path.getsize(picture), 2000, picture)


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    with tempfile.TemporaryDirectory() as FOLDER:
        built = subprocess.run([f"{TOP}/share/docs/site", PROGRAM, FOLDER], stderr=subprocess.STDOUT,
                               stdout=subprocess.PIPE, text=True, check=False)
        print(built.stdout)
        if built.returncode:
            sys.exit(built.returncode)
        unittest.main(verbosity=2)
