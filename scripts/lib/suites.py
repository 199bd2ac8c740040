"""Finding test programs and running them: several at a time, with a time limit, each with its log and its ledger."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from lib import build, ledger, tree

# place: what is reported as the place when the program itself fails, and no test case of it
Suite = collections.namedtuple("Suite", "name place command cwd environment limit")

NODE = tree.ROOT / "tests/node/node_modules/.bin/node"
LIMIT = 300  # seconds for one program, unless CMake's property TIMEOUT says otherwise
LONG_LIMIT = 2 * 3600  # with --long
WORKERS = (os.cpu_count() or 1) + 1  # suites that start the program wait for it half of the time


def environment(preset):
    """What suites find in their environment to know which program to test, and with which Node."""
    folder = build.folder(preset)
    node = {"CADRE_NODE": str(NODE)} if NODE.exists() else {}
    return {"CADRE_BIN": str(folder / "cadre"), "CADRE_BUILD": str(folder), **node}


def sanitizers():
    """The one place for sanitizer options; harmless to programs built without."""
    symbols = f"external_symbolizer_path={shutil.which('llvm-symbolizer-19') or ''}"
    return {
        "ASAN_OPTIONS": f"detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:{symbols}",
        "UBSAN_OPTIONS": f"print_stacktrace=1:{symbols}",
        "TSAN_OPTIONS": f"halt_on_error=1:second_deadlock_stack=1:{symbols}",
    }


def ctest(preset):
    if not (build.folder(preset) / "build.ninja").exists():
        return []
    command = ["ctest", "--test-dir", str(build.folder(preset)), "--show-only=json-v1"]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["tests"]


def names(preset):
    return [test["name"] for test in ctest(preset)]


def native(stage, preset):
    """What CMake's add_test() registered. A program whose own name fits the pattern runs whole."""
    found = []
    for test in ctest(preset):
        name, command = test["name"], test.get("command", [str(build.folder(preset) / test["name"])])
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if not stage.wants(name):
            if not name.endswith("_test"):
                continue
            command = command + ["--test-case=*" + stage.pattern.replace(",", "\\,") + "*"]
        extra = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
        found.append(Suite(name, "-:0", command, properties.get("WORKING_DIRECTORY", str(build.folder(preset))),
                           {**environment(preset), **extra}, properties.get("TIMEOUT", LIMIT)))
    return found


def python(stage, preset):
    runner = str(tree.ROOT / "scripts/lib/run_unittest.py")
    names = tree.select("_test.py", under="tests/")
    return [script(stage, preset, name, [sys.executable, runner], "-k={}") for name in names]


def node(stage, preset):
    """Two reporters: one for people, one that writes the ledger."""
    def command(name):
        return [str(NODE), "--test", "--test-reporter=spec", "--test-reporter-destination=stdout",
                f"--test-reporter={tree.ROOT / 'scripts/lib/node_ledger.mjs'}",
                f"--test-reporter-destination={ledger.path(stage.results, name)}"]
    names = tree.select("_test.mjs", under="tests/")
    return [script(stage, preset, name, command(name), "--test-name-pattern=/{}/i") for name in names]


def script(stage, preset, name, command, option):
    only = [] if stage.wants(name) else [option.format(re.escape(stage.pattern))]
    limit = LONG_LIMIT if stage.long else LIMIT
    return Suite(name, f"{name}:1", [*command, *only, name], str(tree.ROOT), environment(preset), limit)


def program(name, preset):
    """A program without test cases, which is one test itself."""
    return Suite(name, f"{name}:1", [str(tree.ROOT / name)], str(tree.ROOT), environment(preset), LIMIT)


def corpus(source):
    """The folder of stored inputs of a fuzz target."""
    return tree.ROOT / "tests/fuzz/corpus" / pathlib.Path(source).stem.removesuffix("_fuzz")


def replay(source):
    name = pathlib.Path(source).stem
    command = [str(build.folder("asan") / "tests/fuzz" / name), str(corpus(source))]
    return Suite(name, f"{source}:1", command, str(tree.ROOT), {}, LIMIT)


def fuzz(source, seconds):
    name = pathlib.Path(source).stem
    work = tree.ROOT / "build/found" / name
    (work / "corpus").mkdir(parents=True, exist_ok=True)  # the first folder is written, the stored corpus only read
    command = [str(build.folder("fuzz") / "tests/fuzz" / name), f"-max_total_time={seconds}", "-timeout=10",
               "-rss_limit_mb=2048", "-max_len=16384", "-print_final_stats=1", "-verbosity=0", f"-artifact_prefix={work}/",
               str(work / "corpus"), str(corpus(source))]
    return Suite(name, f"{source}:1", command, str(tree.ROOT), {}, seconds + LIMIT)


def run(stage, suites):
    running, speak = set(), threading.Lock()
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        waiting = [pool.submit(run_one, stage, suite, running, speak) for suite in suites]
        try:
            for done in concurrent.futures.as_completed(waiting):
                done.result()
        except (KeyboardInterrupt, SystemExit):  # nothing that was started here outlives this
            pool.shutdown(wait=False, cancel_futures=True)
            speak.acquire()  # nor says anything more
            for process in list(running):
                end(process)
            print("interrupted", flush=True)
            os._exit(130)


def run_one(stage, suite, running, speak):
    started = time.monotonic()
    problem = start_and_wait(stage, suite, running)
    results, log = ledger.path(stage.results, suite.name), ledger.path(stage.results, suite.name, ".log")
    said = log.read_text(encoding="utf-8", errors="replace")
    note_the_unwritten(results, suite.name, suite.place, problem and (finding(said) or problem))
    counts = ledger.count(ledger.read_file(results))
    if not any(counts.values()) and not stage.pattern:
        ledger.add(results, "failed", suite.place, suite.name, "holds no test. Fix: write one, or remove it")
        counts = ledger.count(ledger.read_file(results))
    if not any(counts.values()):
        return  # the pattern fits nothing in it
    with speak:
        print(result_line(suite.name, counts, remark(said), time.monotonic() - started), flush=True)
        if counts["failed"]:
            print("".join(f"    | {line}\n" for line in said.rstrip().splitlines()), end="", flush=True)


def result_line(name, counts, more, seconds):
    """Fits into 80 columns."""
    words = ", ".join(f"{number} {status}" for status, number in counts.items() if number)
    return f"{f'  {name:37} {words}{more}':71} {seconds:5.1f} s"


def start_and_wait(stage, suite, running):
    """None, or how it ended when not well."""
    surroundings = {**os.environ, **sanitizers(), **suite.environment, "CADRE_RESULTS": str(stage.results)}
    with open(ledger.path(stage.results, suite.name, ".log"), "wb") as output:
        try:
            process = subprocess.Popen(suite.command, cwd=suite.cwd, env=surroundings, stdin=subprocess.DEVNULL,
                                       stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        except OSError as error:
            return f"{suite.command[0]} cannot be started: {error.strerror}"
        running.add(process)
        try:
            return problem_with(ledger.path(stage.results, suite.name), process.wait(suite.limit))
        except subprocess.TimeoutExpired:
            return f"did not end within {suite.limit:.0f} s"
        finally:
            end(process)
            running.discard(process)


def note_the_unwritten(results, name, place, problem):
    """A crash, a hang or a sanitizer's finding is a failure that no test case wrote down."""
    written = [entry.status for entry in ledger.read_file(results)]
    if problem and (case := ledger.unfinished_case(results)):
        problem = f'{problem}, in the case "{case}"'
    if problem and ("failed" not in written or problem.startswith("did not end")):
        ledger.add(results, "failed", place, name, problem)
    elif not problem and not results.exists():  # a program without test cases is one test itself
        ledger.add(results, "passed", place, name)


def end(process):
    """Ends a program and whatever it left running; each has a process group of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def problem_with(results, code):
    """None, or how a program with these results ended when not well."""
    if code == 0:
        return "left before its last test" if ledger.is_cut_short(results) else None
    return f"exit code {code}" if code > 0 else f"ended by {signal.Signals(-code).name}"


def finding(said):
    """What libFuzzer found: the input that shows it and how to run that again."""
    match = re.search(r"Test unit written to (.+/build/found/([^/\n]+)/.+)$", said, re.M)
    if not match:
        return None
    program = match[2]
    path = os.path.relpath(match[1], tree.ROOT)
    return f"found {path}. Fix: build/fuzz/tests/fuzz/{program} {path} shows it; then keep it in tests/fuzz/corpus"


def remark(said):
    inputs = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
    return f", {inputs[1]} inputs" if inputs else ""
