#!/usr/bin/python3
"""tests/machines/agent.py POPINJAY: the server for agents, by its wire.

What tools answer is what --json prints; answers are bounded; nothing outside the folders is read,
nothing is written; what is no message gets an error and the next message its answer.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TRACES = TOP + "/notebooks/traces"
MOST = 100_000
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}


def request(number, method, **params):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def call(number, tool, **arguments):
    return request(number, "tools/call", name=tool, arguments=arguments)


def serve(lines, *words, cwd=None):
    text = "".join(line + "\n" for line in lines)
    done = subprocess.run([PROGRAM, "mcp", *words], input=text.encode("utf-8", "surrogateescape"),
                          capture_output=True, check=False, timeout=100, cwd=cwd)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert len(line) < MOST, len(line)
    return [json.loads(line) for line in done.stdout.splitlines()]


def said(answer):
    return answer["result"]["content"][0]["text"]


def shown(*words):
    return json.loads(subprocess.run([PROGRAM, *words, "--json"], capture_output=True, check=True).stdout)


class Agent(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.inside, self.outside = self.folder + "/inside", self.folder + "/outside"
        os.mkdir(self.inside)
        os.mkdir(self.outside)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def copy(self, name, folder):
        for path in glob.glob(f"{TRACES}/{name}*"):
            shutil.copy(path, folder)

    def ask(self, tool, **arguments):
        answer, = serve([call(1, tool, **arguments)], self.inside)
        return answer["result"]

    def refused(self, why, tool, **arguments):
        result = self.ask(tool, **arguments)
        self.assertTrue(result["isError"], result)
        self.assertIn(why, result["content"][0]["text"])

    def test_initialise_list_call(self):
        lines = [request(1, "initialize", **HELLO),
                 json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
                 request("two", "tools/list"), call(3, "metrics", traces=["stencil_*.prv.gz"])]
        times = []
        for _ in range(5):
            began = time.monotonic()
            first, tools, answer = serve(lines, TRACES)
            times.append(time.monotonic() - began)
        self.assertEqual(first["result"]["protocolVersion"], "2025-06-18")
        self.assertIn(TRACES, first["result"]["instructions"])
        self.assertEqual((tools["id"], answer["id"]), ("two", 3))
        self.assertEqual(json.loads(said(answer)),
                         shown("metrics", *sorted(glob.glob(TRACES + "/stencil_*.prv.gz"))))
        print(f"initialise, list and call: {min(times) * 1000:.0f} ms")

    def test_tools_are_the_commands_that_read(self):
        tools = serve([request(1, "tools/list")])[0]["result"]["tools"]
        names = [tool["name"] for tool in tools]
        self.assertIn("waits", names)
        for writer in ("cut", "merge", "preprocess", "record", "run", "install", "report", "mcp"):
            self.assertNotIn(writer, names)
        for tool in tools:
            self.assertTrue(tool["annotations"]["readOnlyHint"])
            writing = {"export", "output", "badge", "json", "each_rank"}
            self.assertFalse(writing & tool["inputSchema"]["properties"].keys())

    def test_parts_make_the_whole(self):
        self.copy("stencil_8x1", self.inside)
        whole = shown("events", self.inside + "/stencil_8x1.prv.gz")
        rows, more = [], {}
        while more is not None:
            part = json.loads(self.ask("events", traces=["stencil_8x1.prv.gz"], **more)["content"][0]["text"])
            rows += part["rows"]
            cursor = (part["truncated"] or {}).get("cursor")
            more = {"cursor": cursor} if cursor else None
        self.assertEqual(rows, whole["rows"])
        self.assertGreater(len(json.dumps(whole)), 2 * MOST)

    def test_wrong_cursor(self):
        answer, = serve([call(1, "metrics", traces=["x"], cursor="row:one")], self.inside)
        self.assertEqual(answer["error"]["code"], -32602)

    def test_paths_outside(self):
        self.copy("stencil_4x1", self.outside)
        trace = self.outside + "/stencil_4x1.prv.gz"
        for path in (trace, "../outside/stencil_4x1.prv.gz", self.inside + "/../outside/*.gz",
                     self.inside + "side/x.prv", "/etc/passwd", "/proc/self/environ"):
            self.refused("lies outside", "metrics", traces=[path])
            self.refused("lies outside", "profile", profiles=[path])
        self.refused("lies outside", "score", profile="/etc/passwd")
        os.symlink(trace, self.inside + "/link.prv.gz")
        os.symlink(self.outside, self.inside + "/folder")
        for path in ("link.prv.gz", "*.prv.gz", "folder", "folder/stencil_4x1.prv.gz"):
            self.refused("is a link out of", "metrics", traces=[path])
        self.refused("no file matches", "metrics", traces=["*/stencil*"])

    def test_links_of_companions_lead_nowhere(self):
        self.copy("stencil_4x1", self.inside)
        labels = self.inside + "/stencil_4x1.pcf"
        shutil.move(labels, self.outside)
        os.symlink(self.outside + "/stencil_4x1.pcf", labels)
        answer = json.loads(self.ask("info", traces=["stencil_4x1.prv.gz"])["content"][0]["text"])
        self.assertIn(".pcf", json.dumps(answer))
        self.assertIn("left out", json.dumps(answer))

    def test_sources_that_a_profile_names(self):
        source = self.inside + "/survey.py"
        shutil.copy(TOP + "/notebooks/profiles/image_13.lprof", self.inside)
        shutil.copy(TOP + "/notebooks/apps/survey.py", source)
        listing = {"profiles": ["image_13.lprof"], "lines": True, "source": "."}
        self.assertIn("def centroid", self.ask("profile", **listing)["content"][0]["text"])
        shutil.move(source, self.outside)
        os.symlink(self.outside + "/survey.py", source)
        self.assertNotIn("def centroid", self.ask("profile", **listing)["content"][0]["text"])

    def test_arguments_that_write_are_unknown(self):
        self.copy("stencil_4x1", self.inside)
        for name, value in (("export", ["x.csv"]), ("json", True), ("scale", 2)):
            self.refused("no argument", "metrics", traces=["stencil_4x1.prv.gz"], **{name: value})
        self.refused("no argument", "score", profile="x", output="y")
        self.refused("no argument", "profile", other="/etc/passwd")
        self.assertFalse(os.path.exists(self.inside + "/x.csv"))

    def test_mistakes_say_what_is_valid(self):
        self.copy("stencil_4x1", self.inside)
        self.refused("did you mean mpi", "metrics", traces=["stencil_4x1.prv.gz"], set="mpj")
        self.refused("arguments: traces", "metrics", trace=["stencil_4x1.prv.gz"])
        self.refused("missing", "metrics")
        self.refused("nothing.prv", "metrics", traces=["nothing.prv"])

    def test_resources(self):
        listed, = serve([request(1, "resources/list")])
        reads = [request(i, "resources/read", uri=one["uri"])
                 for i, one in enumerate(listed["result"]["resources"])]
        texts = [a["result"]["contents"][0] for a in serve(reads)]
        self.assertTrue(all(one["text"] for one in texts))
        bsc = next(one["text"] for one in texts if one["uri"] == "popinjay://metrics/bsc")
        self.assertIn("serialisation", bsc)
        wrong, = serve([request(1, "resources/read", uri="popinjay://metrics/../../etc")])
        self.assertIn("error", wrong)

    def test_what_is_no_message(self):
        odd = ["", "{", "[]", "null", "7", '"x"', "{}", '{"jsonrpc":"2.0"}', "\udcff\udcfe", "[" * 5000,
               '{"jsonrpc":"2.0","id":{},"method":"ping"}', '{"jsonrpc":"1.0","id":1,"method":"ping"}',
               '{"jsonrpc":"2.0","id":1,"method":"none"}', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
               '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]}',
               '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cut","arguments":{}}}',
               request("i" * 200_000, "ping"), "x" * 3_000_000]
        answers = serve([*odd, request(9, "ping")])
        self.assertTrue(all("error" in answer for answer in answers[:-1]))
        self.assertEqual(answers[-1], {"jsonrpc": "2.0", "id": 9, "result": {}})

    def test_odd_arguments(self):
        for value in (None, 3, {}, [[]], [{}], [None], "", "\n", "*" * 3000, True):
            answer, = serve([call(1, "metrics", traces=value)], self.inside)
            self.assertTrue(answer["result"]["isError"], value)


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    unittest.main(verbosity=2)
