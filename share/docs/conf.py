"""Sphinx makes the site of these pages with it. What the program says is put in as it says it:

    ```popinjay Text in place of the picture
    popinjay plot scaling stencil_*.prv.gz --export scaling.svg
    ```

runs the line on the example runs and shows what it printed, or the picture that it wrote;
<!-- popinjay help TOPIC --> becomes what help prints, <!-- popinjay commands --> help on each command.
"""

import glob
import os
import re
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))

project = "popinjay"
copyright = "the authors of popinjay, BSD 3-Clause"
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
exclude_patterns = ["README.md"]
smartquotes = False
highlight_language = "text"
html_theme = "alabaster"
html_theme_options = {"description": "POP in Jupyter and in the shell", "page_width": "70rem",
                      "sidebar_width": "15rem", "show_powered_by": False, "fixed_sidebar": False}
html_logo = "../jupyter/kernels/popinjay/logo-svg.svg"
html_static_path = ["theme"]
html_css_files = ["docs.css"]
html_show_sourcelink = False
html_copy_source = False


class Program:
    """The program in a folder with the example runs and profiles."""

    def __init__(self, path, folder):
        self.path = os.path.abspath(path)
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        for source in glob.glob(f"{TOP}/notebooks/*/*") + [f"{TOP}/notebooks/apps"]:
            link = os.path.join(folder, os.path.basename(source))
            if not os.path.lexists(link):
                os.symlink(source, link)

    def run(self, arguments):
        done = subprocess.run([self.path, *arguments], cwd=self.folder, text=True, check=False,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
        if done.returncode:
            raise RuntimeError(f"popinjay {shlex.join(arguments)}: {done.stderr}")
        return done.stdout.rstrip()

    def help(self, *arguments):
        return self.run(["help", *arguments])


def escaped(text):
    return re.sub(r"([\\`*_<>\[\]#|{}$~])", r"\\\1", text)


def definitions(lines):
    """Indented headings and what they mean as a list of definitions."""
    out, terms, body = [], [], []
    for line in [*filter(None, lines), "  "]:
        if line.startswith("      "):
            body.append(escaped(line.strip()))
            continue
        if body:
            out.append(", ".join(terms) + "\n: " + " ".join(body))
            terms, body = [], []
        terms.append(f"`{line.strip()}`")
    return "\n\n".join(out)


def fenced(text, language="text"):
    return f"```{language}\n{text}\n```"


def block_of_help(block, level):
    """A block of lines without a blank one between."""
    first = block[0]
    if first.startswith(("usage:", "Lua:")):
        return fenced("\n".join(block))
    if first.startswith("  "):
        return definitions(block)
    if len(block) == 1 or not block[1].startswith("  "):
        return escaped(" ".join(block))
    title = f"{'#' * level} {first.rstrip(':')}" if level < 4 else f"**{first.rstrip(':')}**"
    rest = block[1:]
    return title + "\n\n" + (fenced("\n".join(line.strip() for line in rest), "console")
                             if first == "example:" else definitions(rest))


def markdown_of_help(text, level):
    blocks = [block.split("\n") for block in text.split("\n\n")]
    return "\n\n".join(block_of_help(block, level) for block in blocks)


def told(program, arguments):
    """What stands in place of <!-- popinjay ... -->."""
    if arguments == ["commands"]:
        names = re.findall(r"^  (\w+) +\S", program.help().split("--version")[1], re.M)
        return "\n\n".join(f"## {name}\n\n{markdown_of_help(program.help(name), 4)}"
                           for name in names if name != "popinjay")
    text = program.run(arguments)
    return text if "--metrics" in arguments else markdown_of_help(text, 2)


def shown(app, program, words, line):
    """The command and what it printed or drew."""
    arguments = shlex.split(line)[1:]
    command = fenced("$ " + line, "console")
    if "--export" not in arguments:
        output = program.run(arguments)
        return f"{command}\n\n{fenced(output)}" if output else command
    name = arguments[arguments.index("--export") + 1]
    program.run(arguments)
    path = os.path.relpath(os.path.join(program.folder, name), app.srcdir)
    return f"{command}\n\n![{words or line}]({path})" if name.endswith(".svg") else command


def put_in(app, docname, source):
    """Every page passes here before it is read."""
    program = app.popinjay
    text = re.sub(r"<!-- popinjay (.+?) -->", lambda m: told(program, shlex.split(m[1])), source[0])
    source[0] = re.sub(r"^```popinjay ?(.*)\n((?:.+\n)+?)```$",
                       lambda m: "\n\n".join(shown(app, program, m[1], line)
                                             for line in m[2].splitlines()), text, flags=re.M)


def begin(app):
    app.popinjay = Program(app.config.popinjay, os.path.join(app.doctreedir, "..", "runs"))


def setup(app):
    app.add_config_value("popinjay", "popinjay", "env")
    app.connect("builder-inited", begin)
    app.connect("source-read", put_in)
    return {"parallel_read_safe": False}
