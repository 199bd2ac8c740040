"""The numbered requirements of docs/requirements.md, and the marks by which tests say what they prove.

A mark is a comment at a test, `// TASK-02 U, CKPT-09 E`: at the end of its heading or directly above it. It counts when
the ledger says that the test ran and passed.
"""
import ast
import collections
import io
import re
import tokenize

from lib import cpp, tree

LIST = "docs/requirements.md"
WAITING = "docs/open-requirements.md"
KINDS = "UAWCFE"  # unit, API, WebSocket, command line, file, end-to-end

Requirement = collections.namedtuple("Requirement", "id text source check kinds")
Test = collections.namedtuple("Test", "file first last marks")  # marks: [(id, kind)]
Problem = collections.namedtuple("Problem", "file line text")
Entry = collections.namedtuple("Entry", "id room missing line")  # of WAITING

KIND_LIST = f"[{KINDS}](?:/[{KINDS}])*"
MARK = re.compile(rf"([A-Z][A-Z0-9]*-\d+) +({KIND_LIST})\b")
MARKS = re.compile(rf"{MARK.pattern}(?:, *{MARK.pattern})*(?=$|[.:;])")


def parse(text):
    """All rows of the tables, in order: {id: Requirement}."""
    rows = {}
    for line in text.splitlines():
        if re.match(r"\| *[A-Z][A-Z0-9]*-\d+ *\|", line):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]
            rows[cells[0]] = Requirement(*cells[:3], cells[-1], kinds(cells[-1]))
    return rows


def kinds(check):
    """The kinds that a Check cell asks for: letters at its start or at the start of a clause, `U/A` being both."""
    found = re.findall(rf"(?:^|[;.] | [—–] )({KIND_LIST})(?= |$)", check)
    return [kind for kind in KINDS if kind in "".join(found)]


def load():
    return parse(tree.read(LIST)) if (tree.ROOT / LIST).exists() else {}


def tests(known, names=None):
    """All tests of the tree with their marks, and what is wrong with those: ([Test], [Problem])."""
    found, problems = [], []
    for name in names if names is not None else tree.select(".cpp", ".hpp", ".py", ".mjs"):
        if name.startswith(("src/", "tests/", "include/")):
            of_file, wrong = tests_of(name, tree.read(name), known)
            found += of_file
            problems += wrong
    return found, problems


def tests_of(name, text, known):
    found, problems, attached = [], [], set()
    remarks, sites = (python if name.endswith(".py") else c_like)(text)
    alone = {line for line in remarks if re.match(r"\s*(//|#)", text.splitlines()[line - 1])}
    for first, last, end in sites:
        start = first
        while start - 1 in alone:
            start -= 1
        lines = range(start, end)
        attached.update(lines)
        marks = [mark for line in lines for mark in marks_in(remarks.get(line, ""))]
        found.append(Test(name, first, last, marks))

    for line, remark in remarks.items() if sites else ():
        if not is_mark(remark, known):
            continue
        if line not in attached:
            problems.append(Problem(name, line, "this mark stands at no test. Fix: put it above the test, or at the "
                                                "end of its heading with the { on a line below"))
        elif not MARKS.match(remark):
            problems.append(Problem(name, line, "this mark names no kind. Fix: write it like TASK-02 U, CKPT-09 E"))
        for id, _ in marks_in(remark):
            if id not in known:
                problems.append(Problem(name, line, f"{id} is not in {LIST}. Fix: correct the number of the mark"))
    return found, problems


def is_mark(remark, known):
    starts = re.match(r"([A-Z][A-Z0-9]*)-\d+\b", remark)
    groups = {id.rpartition("-")[0] for id in known}
    return bool(MARKS.match(remark)) or bool(starts) and starts[1] in groups


def marks_in(remark):
    marks = MARKS.match(remark)
    return [(id, kind) for id, kinds in MARK.findall(marks[0]) for kind in kinds.split("/")] if marks else []


def c_like(text):
    """({line: comment}, [(first, last line of a test's heading, the line after those that may carry its mark)]) of C++
    and, as far as marks go, JavaScript."""
    code, sites = cpp.strip(text), []
    for match in re.finditer(r"^[ \t]*(?:TEST_CASE\w*|SCENARIO\w*|(?:await[ \t]+)?(?:test|it))[ \t]*\(", code, re.M):
        is_cpp = match[0].lstrip()[0].isupper()
        close = matching(code, match.end()) if is_cpp else match.end()
        first, last = cpp.line_of(code, match.end()), cpp.line_of(code, close)
        # clang-format would move a comment after the body away from the heading
        body_follows = is_cpp and re.match(r"\)[ \t]*\S", code[close:])
        sites.append((first, last, last if body_follows else last + 1))
    return dict(cpp.comments(text)), sites


def matching(code, position):
    """Where the parenthesis that was opened just before position closes."""
    depth = 1
    for match in re.compile(r"[()]").finditer(code, position):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.start()
    return position


def python(text):
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    remarks = {token.start[0]: token.string.lstrip("#").strip() for token in tokens if token.type == tokenize.COMMENT}
    functions = [node for node in ast.walk(ast.parse(text))
                 if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test")]
    return remarks, [(min([f.lineno] + [d.lineno for d in f.decorator_list]), f.lineno, f.lineno + 1) for f in functions]


def proved(tests, entries):
    """{id: {kind: [file:line of tests]}} by the tests that passed wherever they ran; one failure spoils a test."""
    lines = {"passed": set(), "failed": set(), "skipped": set()}
    for entry in entries:
        lines[entry.status].add((entry.file, entry.line))
    result = {}
    for test in tests:
        places = {(test.file, line) for line in range(test.first, test.last + 1)}
        if places & lines["passed"] and not places & lines["failed"]:
            for id, kind in test.marks:
                result.setdefault(id, {}).setdefault(kind, []).append(f"{test.file}:{test.first}")
    return result


def state(requirement, proofs):
    """covered, partly or open"""
    have = [kind for kind in requirement.kinds if kind in proofs]
    return "open" if not have else "covered" if have == requirement.kinds else "partly"


def waiting():
    """The rows that wait for a room, as WAITING lists them: [Entry]."""
    text = tree.read(WAITING) if (tree.ROOT / WAITING).exists() else ""
    return [Entry(*map(str.strip, line.strip()[1:-1].split("|", 2)), number)
            for number, line in enumerate(text.splitlines(), 1) if re.match(r"\| *[A-Z][A-Z0-9]*-\d+ *\|", line)]


def wrong_waiting(known, tests, entries, rooms):
    """Where WAITING differs from the tests' marks: a row that asks for a unit test alone has one, or waits for a room."""
    marked = {id for test in tests for id, kind in test.marks if kind == "U"}
    wanted = [row.id for row in known.values() if row.kinds == ["U"]]
    listed = [entry.id for entry in entries]
    for id in wanted:
        if id not in marked and id not in listed:
            yield Problem(WAITING, 1, f"{id} has no test and is not listed. Fix: mark the test that proves it, or add it "
                                      "with the room that it waits for")
    for number, (id, room, _, line) in enumerate(entries):
        if id not in wanted:
            yield Problem(WAITING, line, f"{id} is not a row of {LIST} that asks for a unit test alone. Fix: remove it")
        elif id in marked:
            yield Problem(WAITING, line, f"{id} has a test. Fix: remove it here, or its mark if that proves less")
        if id in listed[:number]:
            yield Problem(WAITING, line, f"{id} is here twice. Fix: remove one")
        if room not in rooms:
            yield Problem(WAITING, line, f"{room} is not a room. Fix: one of set(shelves …) in src/CMakeLists.txt")
