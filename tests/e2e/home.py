"""A temporary home with an agent and scripts, and the real binary in it. $CADRE_BIN says which; else the one that was built last."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from lib import build  # noqa: E402

CADRE = os.environ.get("CADRE_BIN", str(build.chosen() / "cadre"))
LIMIT = 60  # seconds; nothing here takes a tenth of it
INVALID, UNAUTHORIZED, NOT_FOUND, CONFLICT, UPSTREAM, UNAVAILABLE, CANCELLED, WAITING, PAUSED, INTERRUPTED = 2, 3, 4, 5, 8, 9, 10, 11, 12, 130


def why_no_sandbox():
    """None where programs of tools can run in one."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    box = ["bwrap", "--unshare-user", "--ro-bind", "/", "/", "true"]
    return "bubblewrap cannot make user namespaces here" if subprocess.run(box, capture_output=True).returncode else None


NO_SANDBOX = why_no_sandbox()
AGENT = {"name": "researcher", "role": "Looks things up.", "prompt": "You look things up.",
         "tools": ["calculator", "write_file", "read_file", "ask_human"]}
SUM = [{"tool_calls": [{"name": "calculator", "arguments": {"expression": "2+3"}}], "usage": {"input": 120, "output": 12}},
       {"text": "The sum is 5.", "chunks": 3, "when": {"after_tool": True}}]
ASK = [{"tool_calls": [{"name": "ask_human", "arguments": {"question": "Which colour?"}}]},
       {"when": {"contains": "blue"}, "text": "Blue it is."}]


def calls(name, **arguments):
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def wait_until(true, what):
    """For what no event tells: looks until it is so."""
    end = time.monotonic() + LIMIT
    while not true():
        if time.monotonic() > end:
            raise AssertionError(f"in vain: {what}")
        time.sleep(0.01)  # sleeps: polling, up to the deadline


class Home(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.home = self.folder / "home"
        self.env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": str(self.folder), "TZ": "UTC",
                    "CADRE_HOME": str(self.home), "CADRE_TRUST": "1"}
        self.write("agents/researcher.json", AGENT)
        self.processes = []
        self.addCleanup(self.end_processes)

    def end_processes(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def write(self, name, content):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        return file

    def script(self, entries, name="script.json"):
        return f"script:{self.write(name, entries)}"

    def cadre(self, *words, env=None, stdin="", cwd=None):
        return subprocess.run([CADRE, *map(str, words)], cwd=cwd or self.folder, env={**self.env, **(env or {})}, text=True,
                              input=stdin, capture_output=True, timeout=LIMIT)

    def run_agent(self, entries, *words, prompt="Go.", env=None, name="script.json"):
        return self.cadre("run", "--agent", "researcher", "--model", self.script(entries, name), *words, prompt, env=env)

    def now_asked(self, task):
        """The words that name what the task asks now; needed once it has asked before."""
        waiting = json.loads(self.cadre("inbox", "--json").stdout)["waiting"]
        return "--request", next((one["request"]["id"] for one in waiting if one["task"].startswith(task)), "none")

    def succeeds(self, *words, **options):
        done = self.cadre(*words, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def start(self, *words, env=None, **options):
        """A process that runs beside the test."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        process = subprocess.Popen([CADRE, *map(str, words)], cwd=self.folder, env={**self.env, **(env or {})}, text=True,
                                   **options)
        self.processes.append(process)
        return process

    def start_agent(self, entries, *words, prompt="Go.", name="script.json", env=None, **options):
        """`run --json` beside the test, and the id of its task."""
        process = self.start("run", "--json", "--agent", "researcher", "--model", self.script(entries, name), *words, prompt,
                             env=env, **options)
        return process, self.next_event(process, "event_task_start")["task_id"]

    def next_event(self, process, kind):
        """Reads lines of a process that prints events until one of that kind comes."""
        for line in process.stdout:
            event = json.loads(line)["event"]
            if event["type"] == kind:
                return event
        self.fail(f"no {kind}: {process.stderr.read()}")

    def end(self, process):
        """What it still printed, and its exit code. Not communicate(): that loses what readline() has read ahead."""
        deadline = threading.Timer(LIMIT, process.kill)
        deadline.start()
        try:
            if process.stdin:
                process.stdin.close()
            with concurrent.futures.ThreadPoolExecutor() as readers:
                out, err = readers.map(lambda stream: stream.read() if stream else None, (process.stdout, process.stderr))
            return out, err, process.wait()
        finally:
            deadline.cancel()

    def show(self, task):
        return json.loads(self.succeeds("show", task, "--json"))

    def status(self, task):
        return self.show(task)["task"]["status"]

    def events(self, task):
        return [json.loads(line)["event"] for line in self.succeeds("tail", "--json", task).splitlines()]

    def kinds(self, task):
        return [event["type"].removeprefix("event_") for event in self.events(task)]

    def only_task(self):
        tasks = json.loads(self.succeeds("tasks", "--all", "--json"))["tasks"]
        self.assertEqual(len(tasks), 1)
        return tasks[0]["id"]

    def until(self, true, what):
        """For what no event tells."""
        wait_until(true, what)
