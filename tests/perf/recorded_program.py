"""A program of several hundred thousand calls: parses, tokenizes and compares its own library."""

import ast
import difflib
import io
import tokenize


def main():
    for module in (ast, difflib, tokenize):
        with open(module.__file__, encoding="utf-8") as file:
            text = file.read()
        tree = ast.parse(text)
        names = sum(isinstance(node, ast.Name) for node in ast.walk(tree))
        tokens = len(list(tokenize.generate_tokens(io.StringIO(text).readline)))
        text = ast.unparse(tree)
        other = text.replace("self", "this")
        lines = len(list(difflib.unified_diff(text.splitlines()[:250], other.splitlines()[:250])))
        assert names and tokens and lines


main()
