"""check_pdf.py FILE [TEXT | -TEXT]...: a report that can be handed out: every font is embedded, no
word leaves the page's margins, every TEXT is on some page and no -TEXT is."""

import re
import subprocess
import sys

MARGIN = 30  # points; the template leaves 70, prompts of other templates stand outside of theirs


def output(*words):
    return subprocess.run(words, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def unembedded(path):
    for line in output("pdffonts", path).splitlines()[2:]:
        flags = re.search(r"\s(yes|no)\s+(yes|no)\s+(yes|no)\s+\d+\s+\d+$", line)
        if flags and flags[1] == "no":
            yield f"font not embedded: {line.split()[0]}"


def outside(path):
    number = 0
    for line in output("pdftotext", "-bbox", path, "-").splitlines():
        page = re.search(r'<page width="([\d.]+)"', line)
        word = re.search(r'<word xMin="([-\d.]+)" .*xMax="([-\d.]+)" .*>(.*)</word>', line)
        if page:
            number += 1
            width = float(page[1])
        elif word and (float(word[1]) < MARGIN or float(word[2]) > width - MARGIN):
            yield f"page {number}: {word[3]} passes the margin ({word[1]} to {word[2]})"


def texts(path, wanted):
    text = re.sub(r"\s+", " ", output("pdftotext", "-layout", path, "-"))
    for part in wanted:
        there = part.lstrip("-") in text
        if there == part.startswith("-"):
            yield f"{'found' if there else 'not found'}: {part}"


def main():
    path, wanted = sys.argv[1], sys.argv[2:]
    wrong = [*unembedded(path), *outside(path), *texts(path, wanted)]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
