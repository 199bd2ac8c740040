"""Our templates and expressions against their judge: Debian's Jinja with its sandbox, and undefined as an error.

What fails there must fail here, what gives a text there must give the same here. These may differ, and then we must fail: the text of a
generator, which shows where it lies in memory; integers beyond 64 bits; complex numbers; sets; texts of more than 1 MiB.
Asking Jinja takes a millisecond, so of the random expressions it is asked about a part; for the others its answers are known by their digests.
`CADRE_JUDGE_ALL=1` asks about all of them, `scripts/check --approve template_judge` asks and writes the digests.
"""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import unicodedata
import unittest

import template_cases
import template_generator

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOL = ROOT / os.environ.get("CADRE_BUILD", "build/dev") / "tests/conformance/template_tool"
DIGESTS = HERE / "template_digests.json"
JUDGE = ["/usr/bin/python3", str(HERE / "template_judge.py")]  # the package belongs to Debian's own Python
WORLD = {"context": template_generator.CONTEXT, "includes": {**template_generator.INCLUDES, **template_cases.INCLUDES}}
CHUNK = 1000


def answers(command, lines, world):
    text = "".join(json.dumps(line) + "\n" for line in [world, *lines])
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise AssertionError(f"{command[-1]} ended with {run.returncode}: {run.stderr[-500:]}")
    # a character of the answer may be a line break of Unicode's; ours are not
    return [json.loads(line) for line in run.stdout.split("\n") if line and "context" not in line[:12]]


def ours(lines, world=None):
    return answers([str(TOOL)], lines, world or WORLD)


def judged(lines, world=None):
    return answers(JUDGE, lines, world or WORLD)


def outcome(answer):
    return answer.get("text")  # nothing: it failed


class Agreement:
    """What both sides said to the same lines."""

    def __init__(self, lines, mine=None, world=None):
        self.lines = lines
        self.mine = mine or ours(lines, world)
        self.theirs = judged(lines, world)
        self.different = []
        asked = []
        for line, mine_, theirs in zip(lines, self.mine, self.theirs, strict=True):
            apart = theirs.get("apart")
            no_text = outcome(mine_) is None and (apart == "address" or "has no text of its own" in mine_["error"])
            too_long = mine_.get("code") == "limit" and len(theirs.get("text", "")) > 1 << 20
            if no_text or too_long or apart == "const" or outcome(mine_) == outcome(theirs):
                continue
            (asked if outcome(mine_) is None else self.different).append((line, mine_, theirs))
        reasons = judged([{"why": line} for line, _, _ in asked], world) if asked else []
        self.different += [case for case, reason in zip(asked, reasons, strict=True) if not reason["apart"]]

    def __str__(self):
        shown = [f"{json.dumps(line, ensure_ascii=False)}\n  ours:   {mine}\n  judge's: {theirs}" for line, mine, theirs in self.different[:20]]
        return f"{len(self.different)} of {len(self.lines)} differ:\n" + "\n".join(shown)


def random_expressions():
    """A hundred chunks, no expression twice."""
    found = template_generator.Expressions(1).different(100 * CHUNK)
    return [[{"expression": next(found)} for _ in range(CHUNK)] for _ in range(100)]


def digest(found):
    return hashlib.sha256("\0".join("\1" if outcome(answer) is None else outcome(answer) for answer in found).encode()).hexdigest()[:12]


class TemplateJudge(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        probe = subprocess.run([JUDGE[0], "-c", "import jinja2; print(jinja2.__version__)"], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            raise AssertionError("Debian's Jinja is missing. Fix: apt-get install python3-jinja2")

    def agree(self, lines, least, world=None):
        agreement = Agreement(lines, world=world)
        self.assertGreaterEqual(len(lines), least)
        self.assertFalse(agreement.different, agreement)
        return agreement

    def test_every_filter_test_and_operator_with_every_kind_of_value(self):
        self.agree([{"expression": text} for text in template_cases.expressions()], 2000)

    def test_statements_whitespace_scopes_and_includes(self):
        self.agree([{"template": text} for text in template_cases.templates()], 300)

    def test_random_templates(self):
        generator = template_generator.Templates(2024)
        agreement = self.agree([{"template": generator.template()} for _ in range(3000)], 3000)
        self.assertGreater(sum(outcome(answer) is not None for answer in agreement.mine), 1000)

    def test_random_expressions(self):
        """A hundred thousand by the judge's digests; every 25th thousand, and every one that differs, by the judge itself."""
        approve = bool(os.environ.get("CADRE_APPROVE"))
        every = approve or bool(os.environ.get("CADRE_JUDGE_ALL"))
        known = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else []
        found, fails, different = [], 0, []
        for number, lines in enumerate(random_expressions()):
            mine = ours(lines)
            fails += sum(outcome(answer) is None for answer in mine)
            found.append(digest(mine))
            same = number < len(known) and known[number] == found[-1]
            if every or not same or number % 25 == 0:
                different += Agreement(lines, mine).different
        self.assertFalse(different[:20])
        self.assertTrue(10_000 < fails < 60_000, f"{fails} fail: the generator is out of balance")
        if approve:
            DIGESTS.write_text(json.dumps(found, indent=0) + "\n")
        else:
            self.assertEqual(known, found, "the judge agrees, its digests are old. Fix: scripts/check --approve template_judge")

    def test_the_guide_is_true_word_for_word(self):
        page = (ROOT / "docs/guide/templates.md").read_text()
        world = {"context": json.loads(re.search(r"```json\n(.*?)```", page, re.S)[1])}
        pairs = re.findall(r"```jinja\n(.*?)\n```\n```text\n(.*?)\n```", page, re.S)
        rows = [row.replace("\\|", "|") for row in re.findall(r"^\| `(.+)` \| `.+` \|$", page.split("## Expressions")[1], re.M)]
        values = re.findall(r"^\| `.+` \| `(.+)` \|$", page.split("## Expressions")[1], re.M)
        self.assertGreaterEqual(len(pairs), 2)
        lines = [{"template": source} for source, _ in pairs] + [{"expression": f"({row})"} for row in rows]
        agreement = self.agree(lines, 15, world)
        self.assertEqual([outcome(answer) for answer in agreement.mine], [text for _, text in pairs] + values)

    def test_the_guide_names_every_filter_and_test(self):
        page = (ROOT / "docs/guide/templates.md").read_text()
        for kind, line in (("filter", "{{ 1|%s }}"), ("test", "{{ 1 is %s }}")):
            listed = re.findall(r"`(\w+)`", re.search(rf"\*\*{kind.capitalize()}s\*\*: (.*?)\n\n", page, re.S)[1])
            said = [answer.get("error", "") for answer in ours([{"template": line % name} for name in [*listed, "nope"]])]
            self.assertEqual([name for name, error in zip([*listed, "nope"], said) if f"unknown {kind}" in error], ["nope"])
            known = {"filter": 43, "test": 20}[kind]
            self.assertEqual(len(set(listed)), known)

    def test_every_character_has_the_judges_cases_and_classes(self):
        work = ["s|upper", "s|lower", "s|list|map('capitalize')|join", "s", "s|list|map('trim')|map('length')|join", "s|wordcount", "s|title", "s|tojson",
                "s.split()|length", "(s ~ 'Σ' ~ s)|lower", "s|list|map('int', 'x')|join"]
        for first in [*range(0, 0x34000, 0x800), 0xE0000, 0x10F800]:
            text = " ".join(chr(point) for point in range(first, first + 0x800) if not 0xD800 <= point <= 0xDFFF)
            if text:
                self.agree([{"expression": expression} for expression in work], len(work), {"context": {"s": text}})

    def test_every_character_is_part_of_a_name_or_not(self):
        known = [*range(0x80, 0x3000), *range(0xA000, 0xA100), *range(0xFB00, 0xFE00), *range(0x1D400, 0x1D440)]
        points = [point for point in known if not unicodedata.category(chr(point)).startswith("M")]  # Jinja's list of marks is an old one
        whole = [{"expression": f"x{chr(point)} is undefined"} for point in points[::9]]
        start = [{"expression": f"{chr(point)} is undefined"} for point in points[::9]]
        self.agree(whole + start, 2000)
