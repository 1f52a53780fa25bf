"""What lets `jupyter nbconvert --to pdf` and JupyterLab's export print a notebook with vectors.

A saved notebook keeps its pictures once, as SVG inside of HTML. Here each becomes a PDF on the way to
LaTeX. rsvg-convert (librsvg2-bin) does it; without it a document has what else the outputs hold.
"""

import re
import subprocess
import urllib.parse
from base64 import b64decode, b64encode

PICTURE = re.compile(r"""<img\b[^>]*?\ssrc=["']data:image/svg\+xml([^,"']*),([^"]*)\"""")


def pdf_of(html):
    """The first SVG that an <img> holds as a PDF; None where there is none to be had."""
    found = PICTURE.search(html)
    if not found:
        return None
    kind, text = found.groups()
    svg = b64decode(text) if kind.endswith(";base64") else urllib.parse.unquote_to_bytes(text)
    try:
        return subprocess.run(["rsvg-convert", "--format=pdf"], input=svg, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def print_vectors(notebook, resources):
    """A preprocessor of nbconvert; it runs when the pictures of outputs are already files."""
    files = resources.setdefault("outputs", {})
    for number, cell in enumerate(notebook.cells):
        for place, output in enumerate(cell.get("outputs", [])):
            data = output.get("data", {})
            if "application/pdf" in data or "text/latex" in data or "image/svg+xml" in data:
                continue
            pdf = pdf_of(data.get("text/html", ""))
            if pdf:
                name = f"vectors_{number}_{place}.pdf"
                folder = resources.get("output_files_dir")
                name = f"{folder}/{name}" if folder else name
                data["application/pdf"] = b64encode(pdf).decode()
                output.metadata.setdefault("filenames", {})["application/pdf"] = name
                files[name] = pdf
    return notebook, resources


c = get_config()  # noqa: F821 Jupyter puts it there
c.LatexExporter.preprocessors.append(print_vectors)
