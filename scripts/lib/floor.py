"""The floor: what a complete run comes to at least. It rises with the tests, and falls only with a reason.

    passed        {stage: cases that passed, or were skipped as listed}
    skips         {case: where it may be skipped}; with * at its end, for all that begin like it and find no sandbox
    requirements  rows covered and partly covered
    reasons       one sentence, with its date, for each time that something above became less
"""
import json

from lib import ledger, requirements, tree

FILE = "tests/floor.json"
EMPTY = {"passed": {}, "skips": {}, "requirements": {"covered": 0, "partly": 0}, "reasons": []}
NO_SANDBOX = "bubblewrap "  # how the reasons of tests begin that find no sandbox: test_box.hpp, e2e/home.py
WHOLE = ("release", "dev")  # stages that run every suite
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
    return entry.name in skips or entry.reason.startswith(NO_SANDBOX) and any(fits(entry.name, one) for one in skips)


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
    for name in now["skips"].keys() - before["skips"].keys():
        yield f"“{name}” may be skipped now"
    for what, old, new in falls_of_coverage(before["requirements"], now["requirements"]):
        yield f"{what} requirements were {old}"


def unexplained(now, older):
    """The falls for which the reasons have no new sentence."""
    for before in older:
        if not set(now["reasons"]) - set(before["reasons"]):
            yield from fallen(before, now)


def versions():
    """The floors of the last commits that changed it."""
    commits = tree.git("log", "-20", "--format=%H", "--", FILE).split()
    return [{**EMPTY, **json.loads(text)} for text in (tree.git("show", f"{commit}:{FILE}") for commit in commits) if text]


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
