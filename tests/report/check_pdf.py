"""check_pdf.py FILE [TEXT | -TEXT]...: a report that can be handed out: every font is embedded, no
word leaves the page's margins, no page ends with a heading, every TEXT is on some page and no -TEXT
is."""

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


def lonely(path):
    """Headings at the end of a page: their numbered lines stand in the contents, too."""
    pages = output("pdftotext", "-layout", path, "-").split("\f")
    contents = {re.sub(r"[ .\d]+$", "", line).strip() for line in "\n".join(pages[:3]).splitlines()}
    for number, page in enumerate(pages[3:], 4):
        lines = [line.strip() for line in page.splitlines() if line.strip()]
        while lines and re.search(r"\d+ ?/ ?\d+$", lines[-1]):
            lines.pop()
        last = re.sub(r"[ .\d]+$", "", lines[-1]) if lines else ""
        if re.match(r"\d+(\.\d+)* ", last) and last in contents:
            yield f"page {number} ends with the heading {last}"


def main():
    path, wanted = sys.argv[1], sys.argv[2:]
    wrong = [*unembedded(path), *outside(path), *lonely(path), *texts(path, wanted)]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
