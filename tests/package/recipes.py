"""Recipes of share/package: they parse, and what they name is there in this version.

No tool that runs them is among Debian's packages; share/package/README.md says so.
"""

import ast
import glob
import os
import re
import subprocess
import unittest

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
SECTIONS = {"files", "post", "runscript", "test", "labels", "help", "environment", "setup"}


def text(path):
    with open(f"{TOP}/{path}", encoding="utf-8") as file:
        return file.read()


VERSION = re.search(r"VERSION (\S+) LANGUAGES", text("CMakeLists.txt")).group(1)
OPTIONS = set(re.findall(r"(?:option|set)\((PJ_\w+)", text("CMakeLists.txt")))
WANTED = {  # what is REQUIRED of CMake's modules, by the names of Spack, EasyBuild and conda-forge
    "jansson": ("jansson", "Jansson", "jansson"), "lua": ("lua", "Lua", "lua"),
    "zlib": ("zlib-api", "zlib", "zlib"), "expat": ("expat", "expat", "expat"),
    "md4c": ("md4c", "md4c", "md4c"), "xxhash": ("xxhash", "xxHash", "libxxhash"),
    "cairo": ("cairo", "cairo", "cairo"), "pangocairo": ("pango", "Pango", "pango"),
    "fontconfig": ("fontconfig", "fontconfig", "fontconfig"),
    "libzmq": ("libzmq", "ZeroMQ", "zeromq"), "libcrypto": ("openssl", "OpenSSL", "openssl"),
}
MODULES = {re.sub(r"(lib(?=xx))|5\.4$", "", name)
           for path in ("CMakeLists.txt", "kernel/CMakeLists.txt")
           for names in re.findall(r"pkg_check_modules\(\w+ REQUIRED (?:IMPORTED_TARGET )?([^)]*)\)", text(path))
           for name in names.split()}


class Recipes(unittest.TestCase):
    def has(self, path, names):
        for name in names:
            self.assertRegex(text(path), rf"""['"\s-]{re.escape(name)}(?=['"\s+@<>=-])""", path)

    def test_every_required_library_has_its_names(self):
        self.assertEqual(MODULES, set(WANTED))

    def test_options_are_those_of_the_build(self):
        for path in glob.glob(f"{TOP}/share/package/*/*"):
            if os.path.isfile(path) and not path.endswith((".cmake", ".in")):
                named = set(re.findall(r"\bPJ_[A-Z_]+\b", text(os.path.relpath(path, TOP))))
                self.assertLessEqual(named, OPTIONS, path)

    def test_spack(self):
        path = "share/package/spack/package.py"
        tree = ast.parse(text(path))
        self.assertEqual([c.name for c in tree.body if isinstance(c, ast.ClassDef)], ["Popinjay"])
        self.assertIn(f'version("{VERSION}")', text(path))
        self.has(path, (names[0] for names in WANTED.values()))

    def test_easybuild(self):
        path = glob.glob(f"{TOP}/share/package/easybuild/*.eb")[0]
        self.assertIn(VERSION, os.path.basename(path))
        said = {"SYSTEM": {"name": "system", "version": "system"}}
        exec(compile(text(os.path.relpath(path, TOP)), path, "exec"), said)  # as EasyBuild does
        self.assertEqual((said["name"], said["version"]), ("popinjay", VERSION))
        named = {row[0] for row in said["dependencies"] + said["builddependencies"]}
        self.assertLessEqual({names[1] for names in WANTED.values()}, named)
        chain = said["toolchain"]
        self.assertTrue(path.endswith(f"-{VERSION}-{chain['name']}-{chain['version']}.eb"))

    def test_conda(self):
        path = "share/package/conda/meta.yaml"
        self.assertIn(f'version = "{VERSION}"', text(path))
        self.has(path, (names[2] for names in WANTED.values()))
        subprocess.run(["bash", "-n", f"{TOP}/share/package/conda/build.sh"], check=True)
        try:
            import yaml
        except ImportError:
            self.skipTest("python3-yaml is missing")
        plain = re.sub(r"\{\{.*?\}\}", "value", re.sub(r"\{%.*?%\}", "", text(path)))
        recipe = yaml.safe_load(plain)
        self.assertEqual({"package", "source", "build", "requirements", "test", "about"}, set(recipe))

    def test_apptainer(self):
        written = text("share/package/apptainer/image")
        parts = re.split(r"^%(\w+)\n", written, flags=re.M)
        bodies = dict(zip(parts[1::2], parts[2::2]))
        self.assertLessEqual(set(bodies), SECTIONS)
        self.assertRegex(parts[0], r"(?m)^Bootstrap: \w+\nFrom: \S+$")
        self.assertIn(f"Version {VERSION}", bodies["labels"])
        for name in ("post", "runscript", "test"):
            subprocess.run(["bash", "-n"], input=bodies[name], text=True, check=True)
        groups = {line.split()[0] for line in text("share/packages").splitlines() if line[:1] not in "#"}
        self.assertLessEqual(set(re.findall(r'\$1 == "(\w+)"', bodies["post"])), groups)


if __name__ == "__main__":
    unittest.main()
