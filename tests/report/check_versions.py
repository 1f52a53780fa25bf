#!/usr/bin/env python3
"""check_versions.py FILE...: versions 6 and 7 of nbconvert give the same of these.

Templates (.j2) stand alone and use no filter that one of them lacks; pages (.html) stay the same
when Beautiful Soup writes them anew, as version 7 does.
"""
import html.parser
import sys

import bs4
import jinja2
from jinja2 import nodes

SHARED = {"ansi2html", "convert_pandoc", "escape_latex", "highlight_code", "markdown2html",
          "path2url", "posix_path", "strip_ansi", "strip_files_prefix"}
LATEX = {"block_start_string": "((*", "block_end_string": "*))", "variable_start_string": "(((",
         "variable_end_string": ")))", "comment_start_string": "((=", "comment_end_string": "=))"}


class Parts(html.parser.HTMLParser):
    """Tags and words in their order."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, sorted(attrs)))

    def handle_data(self, data):
        self.found += data.split()


def wrong_in_template(path, text):
    settings = LATEX if path.endswith(".tex.j2") else {}
    environment = jinja2.Environment(extensions=["jinja2.ext.loopcontrols"], **settings)
    tree = environment.parse(text)
    known = SHARED | set(environment.filters)
    wrong = {node.name for node in tree.find_all(nodes.Filter)} - known
    if next(tree.find_all((nodes.Extends, nodes.Include, nodes.Import)), None):
        wrong.add("another template")
    return wrong


def wrong_in_page(text):
    anew = str(bs4.BeautifulSoup(text, features="html.parser"))
    before, after = Parts(text).found, Parts(anew).found
    return {str(a) for a, b in zip(before, after) if a != b} or \
        ({"its length"} if len(before) != len(after) else set())


def main():
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        template = path.endswith(".j2")
        wrong = wrong_in_template(path, text) if template else wrong_in_page(text)
        if wrong:
            sys.exit(f"{path}: differs between versions: {sorted(wrong)[:5]}")


main()
