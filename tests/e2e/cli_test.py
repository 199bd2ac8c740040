#!/usr/bin/env python3
"""The real binary, used as people and scripts use it. home.py says which one."""
import difflib
import filecmp
import json
import os
import pathlib
import random
import re
import shutil
import stat
import subprocess
import tempfile
import unittest

from home import CADRE

ROOT = pathlib.Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs/reference/cli.md"
INVALID, UNAVAILABLE = 2, 9  # as `cadre help exit-codes` has them; one test compares


def cadre(*words, env=None, **options):
    """Runs cadre; standard output and error are bytes."""
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": tempfile.gettempdir(), "CADRE_TRUST": "1", **(env or {})}
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run([CADRE, *words], env=environment, timeout=30, **options)


def shell(script, *words):
    """Runs a line of bash that finds cadre as $0."""
    return subprocess.run(["bash", "--norc", "-c", script, CADRE, *words], capture_output=True, timeout=30)


class Answers(unittest.TestCase):
    def succeeds(self, *words, **options):
        done = cadre(*words, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout.decode()

    def test_version_in_each_form(self):
        text = self.succeeds("version")
        self.assertEqual(self.succeeds("--version"), text)
        facts = json.loads(self.succeeds("version", "--json"))
        self.assertEqual(set(facts), {"version", "json_format", "compiler", "build_type", "preset", "boost", "openssl", "fmt"})
        self.assertTrue(text.startswith(f"cadre {facts['version']}\n"))
        self.assertEqual(self.succeeds("version", "-q"), facts["version"] + "\n")

    def test_without_arguments_it_says_what_it_is_and_what_to_try(self):
        text = self.succeeds()
        self.assertIn("runs teams of AI agents", text)
        for command in ("doctor", "help", "help exit-codes"):
            self.assertRegex(text, rf"\n  cadre {command}  ")
        self.assertEqual(self.succeeds("--quiet"), text.split("\n")[0] + "\n")

    def test_a_wrapper_gives_its_name_to_all_that_people_may_type(self):
        wrapped = {"CADRE_PROGRAM": "./run"}
        self.assertIn("\n  ./run doctor  ", self.succeeds(env=wrapped))
        self.assertIn("\nUsage: ./run doctor [FLAGS]\n", self.succeeds("help", "doctor", env=wrapped))
        self.assertIn("\n  ./run doctor --quiet  ", self.succeeds("help", "doctor", env=wrapped))
        said = cadre("exit-codes", env=wrapped).stderr.decode()
        self.assertIn("did you mean ./run help exit-codes?\nUsage: ./run VERB", said)
        self.assertTrue(said.endswith("\nHelp:  ./run help\n"))
        for words in (["help", "--markdown"], ["completion", "bash"], ["completion", "zsh"], ["version"]):
            self.assertEqual(self.succeeds(*words, env=wrapped), self.succeeds(*words))
        for name in ("", "a b", "\x1b[2J", "é", "x" * 41):
            self.assertIn("\n  cadre doctor  ", self.succeeds(env={"CADRE_PROGRAM": name}))

    def test_help_is_reached_in_every_way_people_try(self):
        overview = self.succeeds("help")
        self.assertEqual(self.succeeds("--help"), overview)
        self.assertEqual(self.succeeds("-h"), overview)
        for verb in json.loads(self.succeeds("help", "--json"))["verbs"]:
            page = self.succeeds("help", verb["name"])
            self.assertIn(verb["usage"], page)
            self.assertEqual(self.succeeds(verb["name"], "--help"), page)
            self.assertEqual(self.succeeds(verb["name"], "-h", "--nonsense"), page)
            self.assertEqual(json.loads(self.succeeds("help", verb["name"], "--json")), verb)

    def test_json_is_one_object_for_every_verb(self):
        for words in ("", "help exit-codes", "help --markdown", "completion bash", "completion zsh", "version", "doctor"):
            with self.subTest(words):
                done = cadre(*words.split(), "--json")
                self.assertIsInstance(json.loads(done.stdout), dict)
                self.assertEqual(done.stdout.count(b"\n"), 1)

    def test_no_colours_unless_on_a_terminal(self):
        self.assertNotIn("\x1b", self.succeeds("help", env={"TERM": "xterm"}))

    def test_exit_codes_are_the_documented_ones(self):
        codes = {row["code"]: row["exit"] for row in json.loads(self.succeeds("help", "exit-codes", "--json"))["exit_codes"]}
        used = {"": 0, "internal": 1, "invalid": INVALID, "unavailable": UNAVAILABLE}
        self.assertEqual({code: codes[code] for code in used}, used)

    def test_reference_page_is_what_the_program_prints(self):
        page = self.succeeds("help", "--markdown")
        if os.environ.get("CADRE_APPROVE"):
            REFERENCE.write_text(page, encoding="utf-8")
        diff = list(difflib.unified_diff(REFERENCE.read_text(encoding="utf-8").splitlines(), page.splitlines(),
                                         "docs/reference/cli.md", "cadre help --markdown", lineterm=""))
        if diff:
            self.fail("\n".join(["the page is not what the program prints:", *diff[:40],
                                 "to accept: scripts/check --approve cli_test"]))


    def test_reference_of_entities_is_what_the_program_writes(self):
        kept = ROOT / "docs/reference/entities"
        if os.environ.get("CADRE_APPROVE"):
            shutil.rmtree(kept, ignore_errors=True)
            self.succeeds("schema", "--pages", str(kept))
        with tempfile.TemporaryDirectory() as folder:
            self.succeeds("schema", "--pages", folder)
            match, differ, missing = filecmp.cmpfiles(folder, kept, os.listdir(folder), shallow=False)
        stale = sorted(set(os.listdir(kept)) - set(match) - set(differ))
        if differ or missing or stale:
            self.fail(f"differ: {differ[:9]}, missing: {missing[:9]}, not written any more: {stale[:9]}\n"
                      "to accept: scripts/check --approve cli_test")


class Failures(unittest.TestCase):
    def test_each_mistake_has_its_exit_code_and_a_message_that_helps(self):
        cases = [
            (["doctr"], 'unknown verb "doctr"; did you mean doctor?', "cadre help"),
            (["xyzzy"], 'unknown verb "xyzzy"', "cadre help"),
            (["exit-codes"], 'unknown verb "exit-codes"; did you mean cadre help exit-codes?', "cadre help"),
            ([""], 'unknown verb ""', "cadre help"),
            (["-"], 'unknown verb "-"', "cadre help"),
            (["--vresion"], 'unknown flag "--vresion"; did you mean --version?', "cadre help"),
            (["doctor", "--jsn"], 'doctor: unknown flag "--jsn"; did you mean --json?', "cadre help doctor"),
            (["doctor", "-x"], 'doctor: unknown flag "-x"', "cadre help doctor"),
            (["doctor", "now"], 'doctor: unexpected argument "now"', "cadre help doctor"),
            (["doctor", "--quiet=yes"], "doctor: --quiet takes no value", "cadre help doctor"),
            (["completion"], "completion: SHELL is missing", "cadre help completion"),
            (["completion", "fish"], 'completion: "fish" is not one of bash, zsh', "cadre help completion"),
            (["help", "docter"], 'help: "docter" is not one of', "cadre help help"),
        ]
        for words, message, help_command in cases:
            with self.subTest(words):
                done = cadre(*words)
                self.assertEqual((done.returncode, done.stdout), (INVALID, b""))
                said = done.stderr.decode()
                self.assertTrue(said.startswith("cadre: " + message), said)
                self.assertIn("\nUsage: cadre ", said)
                self.assertTrue(said.endswith(f"\nHelp:  {help_command}\n"), said)

                done = cadre("--json", *words)
                self.assertEqual((done.returncode, done.stdout), (INVALID, b""))
                error = json.loads(done.stderr)["error"]
                self.assertEqual(error["code"], "invalid")
                self.assertTrue(error["message"].startswith(message), error)
                self.assertNotIn("\n", error["message"])
                self.assertTrue(error["usage"].startswith("cadre "), error)
                self.assertEqual(error["help"], help_command)

    def test_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = cadre("version", stdout=full)
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertEqual(done.stderr, b"cadre: cannot write to standard output: No space left on device\n")

        read_end, write_end = os.pipe()
        os.close(read_end)
        done = cadre("version", stdout=write_end)
        os.close(write_end)
        self.assertEqual((done.returncode, done.stderr), (UNAVAILABLE, b""))  # as with `| head -1`: no word about it

    def test_closed_streams_are_errors_too_and_never_crash(self):
        for redirection in (">&-", "<&- >&-", ">&- 2>&-", "<&- >&- 2>&-"):
            for verb in ("version", "doctor"):
                with self.subTest(redirection=redirection, verb=verb):
                    done = shell(f'"$0" {verb} {redirection}')
                    self.assertEqual((done.returncode, done.stdout), (UNAVAILABLE, b""))
        self.assertEqual(shell('"$0" xyzzy 2>&-').returncode, INVALID)

    def test_random_arguments_never_crash_it(self):
        seeded = random.Random(20250115)
        alphabet = [bytes([b]) for b in range(1, 256)]
        pieces = alphabet + [b"--", b"-", b"--json", b"--help", b"=", b"doctor", b"help", b"version", b"completion", b"bash"]
        for number in range(200):
            words = [b"".join(seeded.choices(pieces, k=seeded.randrange(0, 12))) for _ in range(seeded.randrange(0, 6))]
            if seeded.random() < 0.5:
                words.insert(0, seeded.choice([b"help", b"version", b"completion"]))
            if number % 50 == 0:
                words.append(b"x" * 100_000)
            done = cadre(*words)
            self.assertIn(done.returncode, (0, INVALID), words)
            shown = done.stderr.decode("utf-8")  # never broken, and no control characters that a terminal would obey
            self.assertFalse([c for c in shown if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)], words)
            self.assertLess(len(shown), 1000, words)


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name) / "home"

    def check(self, name, home):
        done = cadre("doctor", "--json", env={"CADRE_HOME": str(home)})
        result = json.loads(done.stdout)
        failed = [check for check in result["checks"] if check["status"] == "failed"]
        self.assertEqual(result["ok"], not failed)
        self.assertEqual(done.returncode, UNAVAILABLE if failed else 0)
        return next(check for check in result["checks"] if check["name"] == name)

    def test_every_check_says_what_it_found_and_how_to_fix_it(self):
        done = cadre("doctor", "--json")
        for check in json.loads(done.stdout)["checks"]:
            with self.subTest(check["name"]):
                self.assertIn(check["status"], ("ok", "warning", "failed"))
                self.assertTrue(check["found"])
                self.assertEqual("fix" in check, check["status"] != "ok")
                if check["name"] in ("processors", "memory", "disk"):
                    self.assertTrue(all(number > 0 for number in check["value"].values()))

    def test_home_folder_is_judged_and_not_created(self):
        self.assertEqual(self.check("home", self.home)["status"], "ok")
        self.assertFalse(self.home.exists())
        self.home.mkdir(mode=0o755)
        self.assertEqual(self.check("home", self.home)["fix"], f"chmod 700 {self.home}")
        self.home.chmod(stat.S_IRWXU)
        self.assertEqual(self.check("home", self.home)["status"], "ok")

    def test_a_home_that_cannot_be_created_is_the_only_failure(self):
        self.home.mkdir(mode=0o700)
        (self.home / "file").touch()
        (self.home / "dangling").symlink_to("nowhere")
        (self.home / "loop").symlink_to("loop")
        names = ("file", "file/below", "dangling", "dangling/below", "loop", "x" * 256, "x/" * 2000, "x/" * 60_000)
        for home in ("relative/x", "~nobody/x", "/proc/x", "/sys/x", *(f"{self.home}/{name}" for name in names)):
            with self.subTest(home[:80]):
                self.assertEqual(self.check("home", home)["status"], "failed")
                self.assertEqual(self.check("disk", home)["status"], "warning")

    def test_a_folder_that_others_need_is_never_locked(self):
        self.home.mkdir()
        self.home.chmod(0o1777)
        link = self.home / "link"
        link.symlink_to("/")
        for home in ("/", "//", "/usr/..", "/tmp", "/tmp/", "/usr/share", "/etc", "/var/lib", self.home, link):
            with self.subTest(home):
                check = self.check("home", home)
                self.assertNotEqual(check["status"], "ok")
                self.assertEqual(check["fix"], "use a folder of its own, for example CADRE_HOME=$HOME/.multi-agent")

    def test_without_any_home_it_says_so(self):
        done = cadre("doctor", env={"HOME": ""})
        self.assertEqual(done.returncode, UNAVAILABLE)
        self.assertIn("neither CADRE_HOME nor HOME is set", done.stdout.decode())
        self.assertIn("\nnot ready, 1 failure", done.stdout.decode())

    def test_plain_ascii_without_a_utf8_locale(self):
        self.assertTrue(cadre("doctor", env={"LANG": "C"}).stdout.isascii())
        self.assertIn("✓", cadre("doctor").stdout.decode())


class Man(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "groff is not installed, so the manual page is not laid out")
    def test_the_manual_page_is_laid_out_without_a_warning(self):
        page = cadre("help", "--man").stdout
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-P-c"], input=page, capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""))
        text = done.stdout.decode()
        for words in ("cadre resume", "--retention-days", "EXIT STATUS", "CADRE_HOME"):
            self.assertIn(words, re.sub(r".\x08|\x1b\[\d*m", "", text).replace("\u2010", "-"))


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last word, from the function that the script defines."""
        script = ('source <("$0" completion bash); complete -p cadre >&2; compopt() { echo "files: $*"; }; '
                  'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cadre; printf "%s\\n" "${COMPREPLY[@]}"')
        done = shell(script, *words)
        self.assertEqual((done.returncode, done.stderr), (0, b"complete -F _cadre cadre\n"))
        return done.stdout.decode().split()

    def test_bash_offers_verbs_choices_and_flags(self):
        self.assertEqual(self.complete("cadre", "do"), ["doctor"])
        self.assertEqual(set(self.complete("cadre", "")) & {"help", "version", "--json"}, {"help", "version"})
        self.assertEqual(self.complete("cadre", "completion", ""), ["bash", "zsh"])
        self.assertEqual(self.complete("cadre", "--json", "help", "exit"), ["exit-codes"])
        self.assertEqual(self.complete("cadre", "doctor", "--js"), ["--json"])
        self.assertEqual(self.complete("cadre", "unknown", ""), [])

    def test_bash_offers_only_flags_when_there_are_no_more_arguments(self):
        flags = self.complete("cadre", "doctor", "")
        self.assertIn("--json", flags)
        self.assertFalse([word for word in flags if not word.startswith("-")])
        self.assertEqual(self.complete("cadre", "completion", "bash", ""), ["--words", *flags])
        self.assertEqual(self.complete("cadre", "completion", "--json", "bash", "b"), [])
        self.assertEqual(self.complete("cadre", "--version", ""), [])

    def test_bash_offers_tasks_agents_and_statuses(self):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder)
            (project / "agents").mkdir()
            (project / "agents/adder.yaml").write_text("name: adder\nrole: r\nprompt: p\n")
            (project / "s.yaml").write_text("- text: done\n")
            (project / "cadre.yaml").write_text("name: x\nmodel: script:s.yaml\n")
            env = {"PATH": os.environ["PATH"], "HOME": folder, "CADRE_HOME": str(project / "home"), "CADRE_TRUST": "1"}
            subprocess.run([CADRE, "run", "--agent", "adder", "x"], cwd=folder, env=env, capture_output=True, timeout=30, check=True)
            task = json.loads(subprocess.run([CADRE, "tasks", "--json"], cwd=folder, env=env, capture_output=True).stdout)["tasks"][0]["id"]

            def offered(*words):
                script = ('source <("$0" completion bash); compopt() { :; }; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cadre; '
                          'printf "%s\\n" "${COMPREPLY[@]}"')
                done = subprocess.run(["bash", "--norc", "-c", script, CADRE, CADRE, *words], cwd=folder, env=env,
                                      capture_output=True, text=True, timeout=30)
                self.assertEqual(done.stderr, "")
                return done.stdout.split()
            self.assertEqual(offered("show", ""), [task[:8]])
            self.assertEqual(offered("run", "--agent", ""), ["adder"])
            self.assertEqual(offered("run", "--agent", "=", "ad"), ["adder"])
            self.assertEqual(offered("tasks", "--status", "int"), ["interrupted"])
            self.assertEqual(offered("run", "--mode", "s"), ["step"])
            self.assertIn("adder", offered("run", ""))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed, so its completion script is not loaded")
    def test_zsh_accepts_the_script(self):
        script = cadre("completion", "zsh").stdout
        done = subprocess.run(["zsh", "-n"], input=script, capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        done = subprocess.run(["zsh", "-f"], input=script, capture_output=True, timeout=30)
        self.assertEqual((done.stdout, done.stderr.count(b"\n")), (b"", 1))
        self.assertIn(b"completion needs compinit", done.stderr)


if __name__ == "__main__":
    unittest.main()
