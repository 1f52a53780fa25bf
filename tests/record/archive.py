"""What an OTF2 archive says, read by otf2-print: enters of each region on each location."""

import collections
import re
import subprocess

EVENT = re.compile(r"(ENTER|LEAVE|MEASUREMENT_ON_OFF|PARAMETER_\w+|IO_\w+|METRIC)\s+(\d+)\s+(\d+)\s+(.*)")
MEMBER = re.compile(r'(\w[\w ]*): ("[^"]*"|\{[^}]*\}|[^,]+)')
REGION = re.compile(r'Region: "(.*)" <(\d+)>')
LOCATION = re.compile(r'LOCATION\s+(\d+)\s+Name: "(.*?)" <')


class Location:
    """One thread."""

    def __init__(self, name):
        self.name = name
        self.enters = collections.Counter()
        self.paths = collections.Counter()  # names from the outermost to the innermost
        self.marks = []
        self.readings = []  # of metrics
        self.parameters = []
        self.io = []  # (names of what is open, kind of the event, its members)
        self.unbalanced = 0
        self.open = []
        self.deepest = 0  # how many were open at once

    def take(self, kind, rest):
        region = REGION.search(rest)
        if kind == "ENTER":
            self.open.append(region[1])
            self.deepest = max(self.deepest, len(self.open))
            self.enters[region[1]] += 1
            if len(self.open) < 50:
                self.paths["/".join(self.open)] += 1
        elif kind == "LEAVE":
            if not self.open or self.open.pop() != region[1]:
                self.unbalanced += 1
        elif kind == "MEASUREMENT_ON_OFF":
            self.marks.append(rest.split(":")[1].strip())
        elif kind == "METRIC":
            self.readings.append(rest.rpartition(";")[2].strip(" )"))
        elif kind.startswith("IO_"):
            self.io.append(("/".join(self.open), kind[3:], {
                name: text.strip('"') for name, text in MEMBER.findall(re.sub(r" <\d+>", "", rest))}))
        else:
            self.parameters.append(re.sub(r" <\d+>", "", rest))


class Archive:
    """An archive; an AssertionError when otf2-print has anything against it, or a location leaves
    more regions open than may be."""

    def __init__(self, path, left_open=0):
        done = subprocess.run(["otf2-print", "--silent", "-Werror", path], capture_output=True,
                              text=True, check=False)
        assert done.returncode == 0 and not done.stderr, f"otf2-print: {done.stderr[:300]}"
        text = self.print(path, "-G")
        self.locations = {found[1]: Location(found[2]) for found in LOCATION.finditer(text)}
        times = {}
        for line in self.print(path).splitlines():
            event = EVENT.match(line)
            if not event:
                continue
            kind, location, when, rest = event.groups()
            assert int(when) >= times.get(location, 0), f"time runs backwards: {line}"
            times[location] = int(when)
            self.locations[location].take(kind, rest)
        for one in self.locations.values():
            assert not one.unbalanced, f"{one.name}: {one.unbalanced} leaves out of order"
            assert len(one.open) <= left_open, f"{one.name}: {len(one.open)} regions are open at the end"

    @staticmethod
    def print(path, *options):
        return subprocess.run(["otf2-print", *options, path], capture_output=True, text=True,
                              check=True).stdout

    def enters(self):
        """Of all locations together."""
        total = collections.Counter()
        for location in self.locations.values():
            total.update(location.enters)
        return total

    def deepest(self):
        return max(location.deepest for location in self.locations.values())

    def named(self, name):
        found = [one for one in self.locations.values() if one.name == name]
        assert len(found) == 1, f"{len(found)} locations are called {name}: {self.names()}"
        return found[0]

    def names(self):
        return sorted(one.name for one in self.locations.values())
