"""The rules of the house that no compiler checks; one function per rule.

Every rule takes a tree and yields sentences "path:line: what is wrong".
"""

import os
import re
import subprocess

SOURCE = (".c", ".h", ".def")
SCRIPT = (".py", ".sh", ".lua", ".js", ".css")
TEXT = SOURCE + SCRIPT + (".md", ".txt", ".json", ".ipynb", ".in", ".cmake", ".svg")
MAX_LINES = 900
MAX_NOUNS = 27  # in a folder; x.c, x.h and x.def are one

# Folders of data, which no README describes.
DATA = ("tests/corpus/", "tests/samples/", "tests/golden/", "tests/cli/", "share/", "notebooks/traces/")

# Folders that mirror a layer: the README of the uppermost one is that of all.
MIRRORS = ("tests/metrics/", "tests/widgets/", "tests/kernel/")

# Programs of their own: they call what they like.
APART = ("tests/", "notebooks/apps/")

# Example runs: definitions of OTF2 archives (.def) are no sources.
RECORDED = ("notebooks/traces/", "tests/samples/")

# Folders that git ignores, for a checkout without git.
MADE = ("build/", ".local/", ".git/")

# Folder: what its files may include: folders with all below them, with a slash at the end only
# the files that lie there, or one header. The longest folder that fits a file is its own.
MODEL = ["metrics/base", "metrics/table", "metrics/trace", "metrics/run"]
READ = ["metrics/base", "metrics/trace", "metrics/run", "metrics/profile", "metrics/read/"]
RUN = ["metrics/run", "metrics/trace/layout.h", "metrics/trace/import_stats.h",
       "metrics/trace/mpi_call.h"]  # with the words that a run is told in
PICTURES = ["metrics/base", "metrics/table", "metrics/pop", "widgets/figure"] + RUN
COMMANDS = ["metrics", "widgets", "kernel/command", "kernel/commands", "kernel/report",
            "kernel/lua", "kernel/cli"]
MAY_INCLUDE = {
    "metrics/base": ["metrics/base"],
    "metrics/table": ["metrics/base", "metrics/table"],
    "metrics/trace": ["metrics/base", "metrics/table", "metrics/trace"],
    "metrics/run": MODEL,
    "metrics/ai": MODEL + ["metrics/ai", "metrics/stat/timeline_pixels.h", "metrics/stat/timeline_view.h"],
    "metrics/profile": ["metrics/base", "metrics/table", "metrics/trace", "metrics/profile"],
    "metrics/read": READ,  # and each format its own folder: they never see each other
    "metrics/read/kineto": READ + ["metrics/ai"],
    "metrics/read/database": READ + ["metrics/ai", "metrics/read/kineto"],  # JSON in its columns
    "metrics/stat": MODEL + ["metrics/profile", "metrics/stat"],
    "metrics/replay": MODEL + ["metrics/replay"],
    "metrics/pop": ["metrics/base", "metrics/table", "metrics/pop"] + RUN,
    "metrics/analyse": ["metrics"],
    # The recorder lives in somebody else's program: it takes nothing along.
    "metrics/record": ["metrics/record/", "metrics/read/otf2/events/otf2_events.def"],
    "metrics/record/mpi": ["metrics/record/", "metrics/record/mpi"],
    "metrics/record/mpi/fortran": ["metrics/record/", "metrics/record/mpi"],
    "metrics/record/blas": ["metrics/record/", "metrics/record/blas"],
    "metrics/record/openmp": ["metrics/record/", "metrics/record/openmp"],
    "metrics/record/posix": ["metrics/record/", "metrics/record/posix"],
    "metrics/record/merge": ["metrics/base", "metrics/record", "metrics/profile",
                             "metrics/read/otf2/events/otf2_events.def"],
    "metrics/record/python": ["metrics/record/", "metrics/record/python"],
    "widgets": ["metrics/base", "metrics/table", "metrics/run", "metrics/pop", "widgets"],
    "widgets/figure": ["metrics/base", "metrics/table", "widgets/figure"],
    "widgets/table": PICTURES + ["metrics/profile", "widgets/table"],
    "widgets/plot": PICTURES + ["metrics/profile", "widgets/plot"],
    "widgets/ipy": ["metrics/base", "widgets/ipy"],
    "widgets/report": PICTURES + ["metrics/profile", "widgets/table", "widgets/plot", "widgets/report"],
    "widgets/wizard": MODEL + ["metrics/profile", "metrics/pop", "metrics/replay", "metrics/analyse",
                               "widgets"],
    "widgets/view": ["metrics/base", "metrics/table", "metrics/profile", "widgets"],
    "kernel/command": COMMANDS,
    "kernel/commands": COMMANDS + ["kernel/jupyter/message.h"],
    "kernel/lua": COMMANDS,
    "kernel/mcp": COMMANDS + ["kernel/mcp"],
    "kernel/report": COMMANDS,
    "kernel/cli": COMMANDS + ["kernel/jupyter"],
    "kernel/jupyter": COMMANDS + ["kernel/jupyter"],
    "tests": ["metrics", "widgets", "kernel", "tests"],
}

# Header: files that may include it (patterns of paths), tests apart.
RESERVED = {
    r"l(ua|auxlib|ualib)\.h": r"kernel/lua/(objects/|guard/)?\w+\.[ch]",
    r"zmq\.h": r"kernel/jupyter/(server|iopub|handshake)\.c",
    r"openssl/.*": r"kernel/jupyter/wire\.c",
    r"(cairo|pango).*": r"widgets/figure/figure_cairo\w*\.[ch]",
    r"(otf2/.*|isa-l.*|igzip_lib\.h)": r"metrics/(read/(otf2/(cut/)?|profile/(\w+/)?)?|record/merge/)\w+\.[ch]",
    r"expat\.h": r"metrics/read/(otf2|profile/\w+)/\w+\.c",
    r"sqlite3\.h": r"metrics/read/database/sql_module\.c",
    r"zstd\.h": r"metrics/read/unzstd\.c",
    r"md4c\.h": r"widgets/report/markdown_html\.c",
    r"xxhash\.h": r"metrics/base/fingerprint\.h",
    r"(Python|structmember)\.h": r"metrics/record/python/\w+\.[ch]",
    r"mpi\.h": r"metrics/(base/ranks|record/mpi/(fortran/)?\w+)\.[ch]",
    r"sys/mman\.h": r"metrics/(record/(rec_(lines|store|thread|tree)|openmp/rec_omp_symbol)|base/arena|ai/ai_spill)\.c"
    r"|kernel/lua/guard/lang_memory\.c",
}

# Call: files that may make it, tests apart.
CALLS = {
    r"pthread_create|thrd_create": r"(metrics/base/pool|kernel/jupyter/(server|iopub|subshell)|kernel/lua/guard/lang_watch|metrics/record/rec_own_thread)\.c",
    r"exit|_Exit|perror|printf|puts|putchar|vprintf": r"kernel/\w+/\w+\.c",
    r"abort": r"kernel/\w+/\w+\.c|metrics/base/arena\.c",
    r"setlocale": r"kernel/cli/main\.c",
    r"strtok|strncpy|sscanf|atoi|atof|alloca": r"(?!)",
}

# They tell an error and do nothing else: nobody need look at what they give.
TELL = {"pj_fail", "pj_fail_io", "pj_err_message", "pj_command_unknown", "pj_lang_raise",
        "pj_jsonpull_fail", "pj_reader_no_trace", "pj_source_damaged", "pj_model_no_trait",
        "pj_profile_view_empty", "pj_profile_sums_lack_paths"}

# How a public name is declared: function, type, macro, constant.
DECLARATIONS = (
    r"(?m)^(?:(?:static inline|extern|PJ_CHECKED) )*[a-z][\w ]*[ *]+(pj_\w+)\(",
    r"(?m)^\}\s*(pj_\w+)\s*;|^typedef\b[^;{]*?[ *(](pj_\w+)\)?\s*(?:\([^;]*\))?;",
    r"(?m)^\s*#\s*define (pj_\w+)",
    r"(?m)^extern const [^;]*?(pj_\w+)(?:\[\w*\])?;",
)


class Tree:
    """The files of a checkout, as git sees them, or of a plain folder."""

    def __init__(self, top):
        self.top = top
        self.files = sorted(self.list_git() or self.list_walk())

    def list_git(self):
        listing = subprocess.run(
            ["git", "-C", self.top, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            capture_output=True, check=False)
        names = listing.stdout.decode().split("\0") if listing.returncode == 0 else []
        return [name for name in names if name and os.path.isfile(os.path.join(self.top, name))]

    def list_walk(self):
        files = [os.path.relpath(os.path.join(folder, name), self.top)
                 for folder, _, names in os.walk(self.top) for name in names]
        return [name for name in files if not name.startswith(MADE)]

    def ending(self, suffixes):
        return [name for name in self.files
                if name.endswith(suffixes) and not name.startswith(RECORDED)]

    def scripts(self):
        """Files without a suffix that begin with #!."""
        plain = [name for name in self.files if "." not in os.path.basename(name)]
        return [name for name in plain if self.bytes(name).startswith(b"#!")]

    def bytes(self, name):
        with open(os.path.join(self.top, name), "rb") as file:
            return file.read()

    def lines(self, name):
        return self.bytes(name).decode("utf-8", "replace").split("\n")


def numbered(tree, names):
    for name in names:
        for number, line in enumerate(tree.lines(name), 1):
            yield name, number, line


def is_within(path, place):
    if place.endswith("/"):
        return os.path.dirname(path) == place[:-1]
    return path == place or path.startswith(place + "/")


def layer_of(path):
    fitting = [layer for layer in MAY_INCLUDE if path.startswith(layer + "/")]
    return max(fitting, key=len) if fitting else None


def own_folder(path):
    """Of a format: the folder right below metrics/read that it lies in."""
    parts = path.split("/")
    return ["/".join(parts[:3])] if path.startswith("metrics/read/") and len(parts) > 3 else []


def includes(tree):
    """Who may include whom."""
    for name, number, line in numbered(tree, tree.ending(SOURCE)):
        own = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        layer = layer_of(name)
        if own and own[1] not in tree.files:
            yield f'{name}:{number}: "{own[1]}" is no path from the root'
        elif own and layer:
            allowed = MAY_INCLUDE[layer] + own_folder(name)
            if not any(is_within(own[1], place) for place in allowed):
                yield f"{name}:{number}: {layer} may not include {own[1]}"


def formats(tree):
    """Formats of profiles share a room and never see each other: x_names.h belongs to the row x."""
    room = "metrics/read/profile/"
    registry = [name for name in tree.files if name == "metrics/read/readers.def"]
    rows = [row[1] for _, _, line in numbered(tree, registry)
            if (row := re.match(r"READER\((\w+)\)", line))]

    def owner(name):
        stem = os.path.basename(name).rsplit(".", 1)[0]
        fitting = [row for row in rows if stem == row or stem.startswith(row + "_")]
        return max(fitting, key=len, default=None)

    for name, number, line in numbered(tree, [f for f in tree.ending(SOURCE) if f.startswith(room)]):
        own = re.match(r'\s*#\s*include\s+"(' + room + r'[^"]+)"', line)
        if own and owner(own[1]) and owner(own[1]) != owner(name):
            yield f"{name}:{number}: {own[1]} is of another format"


def libraries(tree):
    """Library headers stay in the files that own the library."""
    for name, number, line in numbered(tree, tree.ending(SOURCE)):
        system = re.match(r"\s*#\s*include\s+<([^>]+)>", line)
        if not system or name.startswith(APART):
            continue
        for header, owners in RESERVED.items():
            if re.fullmatch(header, system[1]) and not re.fullmatch(owners, name):
                yield f"{name}:{number}: <{system[1]}> does not belong here"


def calls(tree):
    """Threads, output and the end of the process have their places; some calls have none."""
    for name, number, line in numbered(tree, tree.ending((".c", ".h"))):
        if name.startswith(APART):
            continue
        code = re.sub(r'"(\\.|[^"\\])*"|//.*', '""', line)
        for call, owners in CALLS.items():
            found = re.search(rf"(?<![\w.>])({call})\s*\(", code)
            if found and not re.fullmatch(owners, name):
                yield f"{name}:{number}: {found[1]}() does not belong here"


def names(tree):
    """File names are unique, and none is a drawer for odds and ends."""
    seen = {}
    for name in tree.ending(SOURCE + (".py", ".lua")):
        base = os.path.basename(name)
        if base in seen and not base.startswith("__"):  # Python's own: __init__.py
            yield f"{name}:1: {seen[base]} has the same name"
        seen[base] = name
        if re.search(r"(^|_)(utils?|common|helpers?|misc)(_|\.)", base):
            yield f"{name}:1: a file is named after its noun"


def lengths(tree):
    """Files stay readable."""
    for name in tree.ending(SOURCE + SCRIPT) + tree.scripts():
        count = len(tree.lines(name)) - 1
        if count > MAX_LINES:
            yield f"{name}:{count}: more than {MAX_LINES} lines"


def rooms(tree):
    """A folder is a room: what outgrows it has a purpose of its own."""
    nouns = {}
    for name in tree.ending(SOURCE + SCRIPT):
        folder, base = os.path.split(name)
        if not (folder + "/").startswith(DATA):
            nouns.setdefault(folder, set()).add(base.rsplit(".", 1)[0])
    for folder, held in nouns.items():
        if len(held) > MAX_NOUNS:
            yield f"{folder}:1: {len(held)} nouns, more than {MAX_NOUNS}"


def readmes(tree):
    """Every folder says what it is for, in 60 lines; the first page has 200."""
    folders = {os.path.dirname(name) for name in tree.files}
    for folder in sorted(folders):
        readme = os.path.join(folder, "README.md")
        if readme in tree.files:
            most = 60 if folder else 200
            count = len(tree.lines(readme)) - 1
            if count > most:
                yield f"{readme}:{count}: more than {most} lines"
        elif not folder.startswith(".") and not (folder + "/").startswith(DATA + MIRRORS):
            yield f"{folder}/README.md:1: is missing"


def tours(tree):
    """The README of a room names the rooms in it."""
    folders = {os.path.dirname(name) for name in tree.files}
    for folder in sorted(folders):
        above, room = os.path.split(folder)
        readme = os.path.join(above, "README.md")
        if (folder + "/").startswith(DATA + MIRRORS + (".",)) or readme not in tree.files:
            continue
        if not re.search(rf"(?<!\w){re.escape(room)}(?!\w)", "\n".join(tree.lines(readme))):
            yield f"{readme}:1: does not name {room}/"


def openings(tree):
    """A source file begins with what it is for; a header guards itself by its name."""
    for name in tree.ending(SOURCE):
        lines = tree.lines(name)
        if not lines[0].startswith("// "):
            yield f"{name}:1: begins with one to three lines on what it is for"
        guard = "PJ_" + os.path.basename(name)[:-2].upper() + "_H"
        if name.endswith(".h") and f"#ifndef {guard}" not in lines:
            yield f"{name}:1: guarded by {guard}"


def characters(tree):
    """Sources are ASCII, without tabs and without blanks at the end of a line."""
    for name, number, line in numbered(tree, tree.ending(SOURCE + (".py", ".lua", ".cmake"))):
        if not line.isascii():
            yield f"{name}:{number}: not ASCII"
        if "\t" in line or line != line.rstrip():
            yield f"{name}:{number}: tab, CR or blank at the end"


def leftovers(tree):
    """No notes to self and no path of a machine."""
    notes = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
    paths = re.compile(r"(?<![\w./-])/(work|root|home/\w+|Users/\w+|tmp/(wt|b))/")
    for name, number, line in numbered(tree, tree.ending(TEXT) + tree.scripts()):
        if notes.search(line):
            yield f"{name}:{number}: a note to self"
        if paths.search(line):
            yield f"{name}:{number}: a path of one machine"

def code_of(text):
    """Without comments, strings and the paths of includes."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"//.*", "", text)


def declared(tree):
    """Public name: headers that declare it. The members of an opaque struct are no declaration."""
    homes = {}
    for name in tree.ending(".h"):
        if name.startswith(APART):
            continue
        text = code_of("\n".join(tree.lines(name)))
        for pattern in DECLARATIONS:
            for found in re.finditer(pattern, text):
                homes.setdefault(next(filter(None, found.groups())), set()).add(name)
    return homes


def declarations(tree):
    """A public name is declared in one header."""
    for name, homes in sorted(declared(tree).items()):
        if len(homes) > 1:
            yield f"{sorted(homes)[0]}:1: {name} is declared in {' and in '.join(sorted(homes))}"


def checked(tree):
    """What can fail is looked at: PJ_CHECKED stands before whatever takes a pj_err."""
    for name in tree.ending(".h"):
        if name.startswith(APART):
            continue
        text = code_of("\n".join(tree.lines(name)))
        for found in re.finditer(r"(?m)^([a-z][\w ]*[ *]+)(pj_\w+)\(([^;{]*)\)\s*[;{]", text):
            if (re.search(r"\bpj_err \*err$", found[3]) and found[2] not in TELL
                    and not re.match(r"typedef|(static inline )?void ", found[1])):
                yield f"{name}:1: {found[2]} takes a pj_err and is not PJ_CHECKED"


def headers(tree):
    """A source includes the header of every public name that it uses, or its own header does."""
    home = {name: min(homes) for name, homes in declared(tree).items()}
    direct = {name: set(re.findall(r'(?m)^\s*#\s*include "([^"]+)"', "\n".join(tree.lines(name))))
              for name in tree.ending((".c", ".h")) if not name.startswith(APART)}
    for name, included in direct.items():
        own = name[:-1] + "h"
        reached = included | {own} | (direct.get(own, set()))
        used = set(re.findall(r"(?<!struct )\bpj_\w+", code_of("\n".join(tree.lines(name)))))
        for header in sorted({home[word] for word in used if word in home} - reached):
            yield f"{name}:1: uses names of {header} and does not include it"


RULES = [includes, formats, declarations, checked, headers, libraries, calls, names, lengths, rooms, readmes,
         tours, openings, characters, leftovers]
