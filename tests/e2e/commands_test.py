#!/usr/bin/env python3
"""Every command that a hint, a help text, the README or a guide prints is typed as printed. Nothing answers here, so many fail; but the
program must understand each: a usage error means that what was printed cannot be typed."""
import concurrent.futures
import os
import re
import shlex
import subprocess
import tempfile
import unittest

from home import CADRE, ROOT

SECONDS = 6  # of those that serve, follow or wait for a person: they were understood
STARTS = re.compile(r"(?:^|[\s(;&|`])((?:\./run|cadre) [^`\n]*)")


def pages():
    return [ROOT / "README.md", ROOT / "docs/reference/cli.md", *sorted((ROOT / "docs/guide").glob("*.md")),
            *sorted((ROOT / "examples").rglob("README.md"))]


def blocks(text):
    """Lines of shell blocks, those that end in a backslash joined; a here-document's text is not typed."""
    for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.M | re.S):
        block = re.sub(r"<<-?'?(\w+)'?([^\n]*)\n.*?\n\1$", r"\2", block, flags=re.M | re.S).replace("\\\n", " ")
        yield from (re.sub(r"(^|\s)#.*", "", line) for line in block.splitlines())


def in_spans(text):
    """`cadre show ID` in the middle of a sentence. One with an ellipsis is the beginning of one."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    spans = [span.replace("\n", " ") for span in re.findall(r"(?<!`)`(cadre [^`]+)`(?!`)", prose)]
    return [span if " " in span[6:] else f"cadre help {span[6:]}" for span in spans]  # a verb alone is its name


def in_sources():
    """What hints are made of: `as_typed("cadre …")` and Hint{"to …", "verb …"}; what they put in becomes a word."""
    for file in sorted((ROOT / "src").rglob("*.cpp")):
        if file.name.endswith("_test.cpp"):
            continue
        text = re.sub(r'"\s*\n\s*"', "", file.read_text())
        for found in re.findall(r'as_typed\((?:fmt::format\()?"(cadre [^"]*(?:\\"[^"]*)*)"( \+)?', text):
            yield f"{file.name}", found[0].replace('\\"', '"') + (" 3f2a4b1c" if found[1] else "")
        hint = r'\{"(?:to|if) [^"]*",\s*(?:fmt::format\()?"([a-z][^"]*(?:\\"[^"]*)*)"( \+ [\w.():>-]+)?(?: \+ "([^"]*)")?'
        for verb, put_in, rest in re.findall(hint, text):
            yield f"{file.name}", "cadre " + verb.replace('\\"', '"') + (" 3f2a4b1c" if put_in else "") + rest


def words_of(command):
    """The words of one command, as a shell makes them; nothing for what is not one."""
    command = re.sub(r"\{[^{}]*\}", "3f2a4b1c", command).replace("VERB", "run")
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    words = []
    try:
        for word in lexer:
            if word and set(word) <= set("|&;<>()"):
                break
            words.append(word)
    except ValueError:
        return []
    if "…" in command or "..." in command or any(word.startswith("[") for word in words):
        return []
    return [] if words[1:2] == ["3f2a4b1c"] else words[1:]  # the verb is put in, too


class Commands(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def typed(self, words):
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": place, "CADRE_HOME": place + "/home", "CADRE_TRUST": "1"}
            try:
                done = subprocess.run([CADRE, *words], cwd=place, env=env, capture_output=True, text=True, timeout=SECONDS,
                                      stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return ""
            return done.stderr if "\nUsage: " in done.stderr else ""

    def expect(self, commands):
        """All of (where, command)."""
        unique = {}
        for where, command in commands:
            words = words_of(command)
            if words and words[0] != "demo":  # it is run by a test of its own
                unique.setdefault(tuple(words), (where, command))
        self.assertGreater(len(unique), 5)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            wrong = [f"{where}: {command}\n    {said}" for (where, command), said in
                     zip(unique.values(), pool.map(self.typed, unique)) if said]
        self.assertFalse(wrong, "\n".join(wrong))

    def test_the_readme_guides_and_examples_print_commands_that_can_be_typed(self):
        self.expect((page.name, found) for page in pages() for line in blocks(page.read_text())
                    for found in STARTS.findall(line) if found.startswith("cadre "))

    def test_commands_in_the_middle_of_sentences_can_be_typed(self):
        self.expect((page.name, span) for page in pages() for span in in_spans(page.read_text()))

    def test_hints_print_commands_that_can_be_typed(self):
        self.expect(in_sources())


if __name__ == "__main__":
    unittest.main()
