"""The ledger: what ran and how it ended. Each test program writes one file, each test case one line into it:

    status <tab> file:line <tab> name <tab> reason <tab> seconds        status: passed, failed, skipped

Whatever is counted or shown as covered comes from these lines and from nowhere else. The first line is `# started`, the
last `# ended`: a program that leaves in the middle, even with exit code 0, is told apart.
"""
import collections
import os
import pathlib
import posixpath
import re

from lib import tree

RESULTS = tree.ROOT / "build" / "results"

Entry = collections.namedtuple("Entry", "status file line name reason seconds stage program")


def path(folder, program, ending=".tsv"):
    return pathlib.Path(folder, program.replace("/", ".") + ending)


def add(file, status, place, name, reason="", seconds=0.0):
    """Adds a line at once, so that what was reached before a crash is on disk."""
    fields = (re.sub(r"\s+", " ", str(field)).strip() for field in (status, place, name, reason, f"{seconds:.3f}"))
    with open(file, "a", encoding="utf-8") as out:
        out.write("\t".join(fields) + "\n")


def mine(program):
    """Starts the ledger of the program that asks; it leads nowhere when that was started by hand."""
    file = path(os.environ["CADRE_RESULTS"], program) if "CADRE_RESULTS" in os.environ else os.devnull
    pathlib.Path(file).write_text("# started\n")
    return file


def end(file):
    with open(file, "a", encoding="utf-8") as out:
        out.write("# ended\n")


def is_cut_short(file):
    """A ledger that was started and not ended."""
    lines = lines_of(file)
    return bool(lines) and lines[0] == "# started" and "# ended" not in lines


def lines_of(file):
    file = pathlib.Path(file)
    return file.read_text(encoding="utf-8", errors="replace").splitlines() if file.exists() else []


def read(folder=RESULTS):
    """All entries below a folder of results; the folder of a file is its stage."""
    return [entry for file in sorted(pathlib.Path(folder).rglob("*.tsv")) for entry in read_file(file)]


def read_file(file):
    file = pathlib.Path(file)
    for text in lines_of(file):
        fields = text.split("\t")
        if len(fields) < 3 or fields[0] not in ("passed", "failed", "skipped"):
            continue  # a comment, or a line cut short by a crash
        source, _, line = fields[1].rpartition(":")
        yield Entry(fields[0], relative(source), int(line) if line.isdigit() else 0, fields[2],
                    fields[3] if len(fields) > 3 else "", float(fields[4]) if len(fields) > 4 else 0.0,
                    file.parent.name, file.stem)


def unfinished_case(file):
    """The case that a program died in: the last line says that it began, and none says how it ended."""
    lines = lines_of(file)
    return lines[-1].removeprefix("# case ") if lines and lines[-1].startswith("# case ") else None


def relative(file):
    """As seen from the root of the checkout: ccache makes __FILE__ relative to the build folder."""
    if file.startswith(f"{tree.ROOT}/"):
        return file[len(str(tree.ROOT)) + 1:]
    return posixpath.normpath(re.sub(r"^(?:\.\.?/)+", "", file))  # a batch reaches tests/ through src/..


def count(entries):
    """{"passed": 3, "failed": 0, "skipped": 1}"""
    counts = collections.Counter(entry.status for entry in entries)
    return {status: counts[status] for status in ("passed", "failed", "skipped")}
