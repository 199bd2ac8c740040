"""What test files may not be or hold, because a green run would then mean less than it says: names that no runner looks for,
tests that never run or cannot fail, sleeping in place of waiting."""
import io
import re
import tokenize

from lib import cpp, tree

RUN = re.compile(r"^src/.*_test\.cpp$|^tests/.*_test\.(?:cpp|py|mjs)$")  # what the runners look for
HOLDS = [  # (ending, code that only a file of tests has)
    (".cpp", r"^\s*(?:TEST_CASE|SCENARIO)\w*\s*\("),
    (".hpp", r"^\s*(?:TEST_CASE|SCENARIO)\w*\s*\("),
    (".py", r"^\s+(?:async\s+)?def test_"),
    (".mjs", r"from ['\"]node:test['\"]"),
    (".js", r"from ['\"]node:test['\"]|require\(['\"]node:test['\"]\)"),
]
SKIPS = [  # (ending, what keeps a test from failing, what instead)
    (".cpp", r"\*\s*(?:doctest::)?(?:skip|may_fail|should_fail|expected_failures)\s*\(", "return test::skip(reason)"),
    (".py", r"@(?:unittest\.)?(?:skip\b|expectedFailure\b)", "self.skipTest(reason), or @unittest.skipIf"),
    (".mjs", r"\b(?:skip|todo)\s*:|\b(?:test|it|describe|suite)\.(?:skip|todo)\s*\(", "t.skip(reason) where it cannot run"),
]
SLEEPS_IN_CPP = (r"\bthis_thread\s*::\s*sleep_\w+|\b(?:u|nano)sleep\s*\(|(?<![\w.>:])(?:::)?sleep\s*\("
                 r"|(?:^|[;{}]|\))\s*sleep_(?:for|until)\s*\("  # as a statement: base's, for loops, is awaited or handed on
                 r"|\bpoll\s*\(\s*nullptr\s*,\s*0\s*,")
SLEEPS = [
    (".cpp", SLEEPS_IN_CPP),
    (".hpp", SLEEPS_IN_CPP),
    (".py", r"\b(?:time|asyncio)\s*\.\s*sleep\b|(?<![\w.])(?<!def )sleep\s*\(|\bfrom\s+(?:time|asyncio)\s+import\b.*\bsleep\b"),
    (".mjs", r"\bsetTimeout\s*\(|\btimers/promises\b"),
]
REAL_LOOP = r"\bnet::Loop\b|support/http_world\.hpp"  # a simulated loop's time costs nothing and is exact
ON_A_LOOP = r"(?<!this_thread::)\bsleep_(?:for|until)\s*\("
EXCUSE = re.compile(r"(?://|#) sleeps: \S")


def code_of(name):
    """Without comments, and without strings where those are not what is looked for."""
    text = tree.read(name)
    if name.endswith((".cpp", ".hpp")):
        return cpp.strip(text)
    return python_code(text) if name.endswith(".py") else cpp.strip(text, strings=False)


def python_code(text):
    lines = [list(line) for line in text.splitlines(keepends=True)]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            (first, start), (last, end) = token.start, token.end
            for number in range(first, last + 1):
                line = lines[number - 1]
                for column in range(start if number == first else 0, end if number == last else len(line)):
                    if line[column] != "\n":
                        line[column] = " "
    return "".join("".join(line) for line in lines)


def found(name, code, table):
    """(line, what is said of it) for each match of the rows for such a file."""
    for ending, pattern, *rest in table:
        if name.endswith(ending):
            for match in re.finditer(pattern, code, re.M):
                yield cpp.line_of(code, match.end() - 1), match[0].strip(), *rest


def names():
    return tree.select(".cpp", ".hpp", ".py", ".mjs", ".js")


def wrong_tests():
    for name in names():
        code = code_of(name)
        if not RUN.search(name):
            for line, *_ in list(found(name, code, HOLDS))[:1]:
                yield name, line, ("holds tests that no runner looks for. Fix: call it *_test.cpp, *_test.py or *_test.mjs; "
                                   "all but C++ lie in tests/")
            continue
        for line, what, instead in found(name, code, SKIPS):
            yield name, line, f"{what}: a test that cannot fail proves nothing. Fix: {instead}"
        if name.endswith(".mjs") and not re.search(r"from ['\"](?:node:)?assert", code):
            yield name, 1, "imports no assert, so its tests cannot fail. Fix: import assert from 'node:assert/strict'"


def without_cases(entries):
    """Files of tests that a complete run left out, as when no CMakeLists.txt names them."""
    ran = {entry.file for entry in entries}
    return [name for name in tree.select("_test.cpp", "_test.py", "_test.mjs") if name not in ran]


def sleeping_tests():
    for name in names():
        if not name.startswith("tests/") and not re.search(r"^src/.*(?:_test\.cpp|/test_\w+\.hpp)$", name):
            continue
        code, lines = code_of(name), tree.read(name).splitlines()
        real = re.search(REAL_LOOP, "\n".join(lines))
        table = SLEEPS + ([(".cpp", ON_A_LOOP), (".hpp", ON_A_LOOP)] if real else [])
        for line, what in sorted(set(found(name, code, table))):
            if not EXCUSE.search(lines[line - 1]):
                yield name, line, (f"{what.rstrip('(')} hopes that the time is enough. Fix: await what must happen (an event, a "
                                   "line, a file), or say at its end why it must pass: // sleeps: reason")
