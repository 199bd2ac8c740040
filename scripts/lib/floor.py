"""The floor: what a complete run comes to at least. It rises with the tests, and falls only with a reason.

    passed        {stage: cases that passed, or were skipped as listed}
    skips         {case: [how the reasons begin for which it may be skipped]}; with * at its end, for all that begin like it
    requirements  rows covered and partly covered
    reasons       "YYYY-MM-DD: a sentence" for each time that something above became less

bench/floor.json is looked after in the same way; there, less is better.
"""
import json
import re

from lib import ledger, requirements, tree

FILE, SPEED = "tests/floor.json", "bench/floor.json"
EMPTY = {"passed": {}, "skips": {}, "requirements": {"covered": 0, "partly": 0}, "reasons": []}
NO_SANDBOX = "bubblewrap "  # how the reasons of tests begin that find no sandbox: test_box.hpp, e2e/home.py
FULL = ("release", "checks", "asan", "tsan", "fuzz", "speed")  # the stages that CI runs
WHOLE = ("release", "dev")  # stages that run every suite
REASON = re.compile(r"\d{4}-\d\d-\d\d: \S.+")
RAISE = "scripts/check --fix floor"


def load():
    return {**EMPTY, **json.loads(tree.read(FILE))} if (tree.ROOT / FILE).exists() else EMPTY


def broken_by(stage, entries, sandbox_required):
    """[(name, what is wrong)] of a stage that ran completely."""
    floor, problems = load(), []
    skips, failed = floor["skips"], ledger.count(entries)["failed"]
    for entry in entries:
        if entry.status != "skipped":
            continue
        if not is_skipped_as_listed(entry, skips):
            problems.append((entry.name, f"was skipped ({entry.reason or 'no reason given'}), which {FILE} does not list. "
                                         "Fix: make it run here; or list it under skips with the reason"))
        elif sandbox_required and entry.reason.startswith(NO_SANDBOX):
            problems.append((entry.name, f"was skipped ({entry.reason}), and in CI that is a failure. Fix: install "
                                         "bubblewrap and allow user namespaces: cadre doctor says how"))
    for name in skips if stage in WHOLE and not failed else ():
        if not any(fits(entry.name, name) for entry in entries):
            problems.append((name, f"is listed under skips in {FILE} and no test has that name. Fix: correct it there"))
    reached, least = reached_by(entries, skips), floor["passed"].get(stage, 0)
    if not entries:
        problems.append((stage, f"the stage {stage} found nothing to run. Fix: ./test --list says what it looks for"))
    elif reached < least and not failed:
        problems.append((stage, f"{reached} passed, {least} are the floor. Fix: find the tests that no longer run (git diff); "
                                f"if they had to go, lower {FILE} and add a reason there, in the same commit"))
    return problems


def reached_by(entries, skips):
    return sum(entry.status == "passed" or is_skipped_as_listed(entry, skips) for entry in entries)


def is_skipped_as_listed(entry, skips):
    if entry.status != "skipped":
        return False
    return any(fits(entry.name, name) and entry.reason.startswith(tuple(says)) for name, says in skips.items())


def fits(name, listed):
    return name.startswith(listed[:-1]) if listed.endswith("*") else name == listed


def coverage(entries):
    """{"covered": rows, "partly": rows} by what the entries proved."""
    known = requirements.load()
    proofs = requirements.proved(requirements.tests(known)[0], entries)
    states = [requirements.state(row, proofs.get(row.id, {})) for row in known.values()]
    return {state: states.count(state) for state in ("covered", "partly")}


def coverage_broken_by(entries):
    """None, or what is wrong. A test that was skipped as listed would have proved what it proved elsewhere."""
    floor = load()
    now = coverage([entry._replace(status="passed") if is_skipped_as_listed(entry, floor["skips"]) else entry
                    for entry in entries])
    fallen = [f"{before} {what}, now {after}" for what, before, after in falls_of_coverage(floor["requirements"], now)]
    return (f"fewer requirements are proved: {'; '.join(fallen)}. Fix: git diff shows which mark went (scripts/requirements "
            f"--open lists what is not proved); if it claimed too much, lower {FILE} and add a reason") if fallen else None


def falls_of_coverage(before, now):
    """Rows that become covered are no longer partly covered, so those are counted together."""
    for what, keys in (("covered", ["covered"]), ("covered or partly", ["covered", "partly"])):
        old, new = (sum(counts[key] for key in keys) for counts in (before, now))
        if new < old:
            yield what, old, new


def fallen(before, now):
    """What is less in a floor than in an older one."""
    for stage, number in before["passed"].items():
        if now["passed"].get(stage, 0) < number:
            yield f"passed in {stage} was {number}"
    for name, says in now["skips"].items():
        for one in sorted(set(says) - set(before["skips"].get(name, []))):
            yield f"“{name}” may be skipped now ({one})"
    for what, old, new in falls_of_coverage(before["requirements"], now["requirements"]):
        yield f"{what} requirements were {old}"


def slower(before, now):
    """What costs more in bench/floor.json than in an older one, or is not counted any more."""
    for piece, counts in before.items():
        for what, number in counts.items() if piece != "reasons" else ():
            if now.get(piece, {}).get(what, number + 1) > number:
                yield f"{what} of {piece} was {number}"


def unexplained(now, older, worse=fallen):
    """What became worse and for which the reasons have no new sentence."""
    for before in older:
        if not any(REASON.fullmatch(one) for one in set(now.get("reasons", [])) - set(before.get("reasons", []))):
            yield from worse(before, now)


def incomplete(floor):
    """What makes the floor say less than it seems to."""
    for name, says in floor["skips"].items():
        if not name.strip("* ") or not says or isinstance(says, str) or not all(says):
            yield f"the skip “{name}” excuses too much. Fix: name the case, and how each of its reasons begins"
    for stage in FULL if floor["passed"] else ():
        if stage not in floor["passed"]:
            yield f"passed has no number for the stage {stage}. Fix: after ./test --full, {RAISE}"


def is_shallow():
    """Whether the history, which says what the floor was, is cut off."""
    return tree.git("rev-parse", "--is-shallow-repository").strip() == "true"


def versions(file=FILE):
    """A floor in all commits that changed it, on whichever branch."""
    texts = (tree.git("show", f"{commit}:{file}") for commit in tree.git("log", "--full-history", "--format=%H", "--", file).split())
    return [{**(EMPTY if file == FILE else {}), **json.loads(text)} for text in texts if text]


def raised():
    """The floor with what the complete stages of the last ./test came to, where that is more."""
    now = load()
    stages = {stage.parent.name for stage in ledger.RESULTS.glob("*/complete")}
    entries = [entry for entry in ledger.read() if entry.stage in stages]
    passed = {stage: reached_by([entry for entry in entries if entry.stage == stage], now["skips"]) for stage in stages}
    best = {stage: max(passed.get(stage, 0), now["passed"].get(stage, 0)) for stage in {*passed, *now["passed"]}}
    proved = coverage(entries) if stages & set(WHOLE) else now["requirements"]
    return {**now, "passed": dict(sorted(best.items())),
            "requirements": now["requirements"] if list(falls_of_coverage(now["requirements"], proved)) else proved}


def save(floor):
    (tree.ROOT / FILE).write_text(json.dumps(floor, indent=2, ensure_ascii=False) + "\n")
