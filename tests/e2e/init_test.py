#!/usr/bin/env python3
"""cadre init and schema, used as people use them."""
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from project_folder import CADRE, CONFLICT, INVALID, NOT_FOUND, ROOT, UNAVAILABLE, Folder

NODE = os.environ.get("CADRE_NODE", str(ROOT / "tests/node/node_modules/.bin/node"))
# Somebody else's validator: says of each pair of a schema and a file what is wrong.
JUDGE = """
import { readFileSync } from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parse } from 'yaml';
const said = {};
for (const [schema, file] of JSON.parse(process.argv[1])) {
  const ajv = formats.default(new Ajv.default({ strict: false }));
  ajv.validate(JSON.parse(readFileSync(schema, 'utf8')), parse(readFileSync(file, 'utf8')));
  if (ajv.errors) said[file] = ajv.errorsText();
}
process.stdout.write(JSON.stringify(said));
"""


class Init(Folder):
    def test_a_new_project_passes_check_and_its_schemas_are_where_the_files_say(self):
        done = self.cadre("init", "new")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        new = self.folder / "new"
        self.assertEqual(self.findings(cwd=new), [])
        hinted = 0
        for file in set(new.rglob("*.yaml")) - {new / "demo.yaml"}:  # a script has no schema
            first = file.read_text().splitlines()[0]
            hint = first.removeprefix("# yaml-language-server: $schema=")
            self.assertNotEqual(hint, first)
            schema = json.loads((file.parent / hint).read_text())
            self.assertEqual(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
            hinted += 1
        self.assertEqual(hinted, 6)

    def test_a_new_project_runs_without_a_key_whatever_is_asked(self):
        self.assertIn('Then: cd new && cadre run "How do I resume a task?"\n', self.cadre("init", "new").stdout)
        self.assertIn('Then: cadre run "How do I resume a task?"\n', self.cadre("init", cwd=self.write("here/x", "").parent).stdout)
        env = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        script, local = "Hello! I am a script, not a model", "generated: false"
        for words, says in ((["Hello"], local), (["What is 2+3?"], local), (["How do I resume a task?"], "> To resume a task"), (["--agent", "summarizer", "A long text."], local),
                            (["writers", "Hello"], script), (["writers", "--agent", "reviewer", "x"], script)):
            with self.subTest(words):
                begin = time.monotonic()
                done = subprocess.run([CADRE, "run", *words], cwd=self.folder / "new", env=env, text=True,
                                      capture_output=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(says, done.stdout)
                self.assertLess(time.monotonic() - begin, 5)  # a second on a machine of its own

    def test_an_empty_name_is_refused(self):
        done = self.cadre("init", "")
        self.assertEqual((done.returncode, done.stdout), (INVALID, ""))
        self.assertIn("the folder's name is empty; name one, or leave it out for the current folder", done.stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_is_made_is_shared_as_far_as_the_umask_says(self):
        for mask, modes in ((0o022, {0o644, 0o755}), (0o002, {0o644, 0o755}), (0o027, {0o640, 0o750}),
                            (0o077, {0o600, 0o700})):
            with self.subTest(oct(mask)):
                new = self.folder / oct(mask)
                subprocess.run([CADRE, "init", new], check=True, capture_output=True, timeout=60, umask=mask)
                self.assertEqual({path.stat().st_mode & 0o777 for path in [new, *new.rglob("*")]}, modes)

    def test_a_gitignore_is_kept_and_gets_what_is_missing(self):
        for before, after in (("build/", "build/\n.env\n.cadre/\n"), ("/.env\n.cadre\n", "/.env\n.cadre\n")):
            with self.subTest(before):
                shutil.rmtree(self.folder / "p", ignore_errors=True)
                mine = self.write("p/.gitignore", before)
                done = self.cadre("init", "p")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(mine.read_text(), after)
                self.assertEqual("p/.gitignore" in done.stdout, before != after)
                self.assertIn("p/.cadre/schemas/\n", done.stdout)

    def test_the_next_step_can_be_pasted_into_a_shell(self):
        for name, word in (("sp ace", "'sp ace'"), ("./-dash", "./-dash"), ("it's", "'it'\\''s'"), ("plain", "plain")):
            with self.subTest(name):
                self.assertIn(f"\nNext: cadre check {word}\n", self.cadre("init", name).stdout)

    def test_a_disk_that_fails_half_way_leaves_nothing_behind(self):
        """No file may grow beyond 4000 bytes here: the project's own files fit, the team's schema does not."""
        def with_little_room():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

        mine = self.write("p/.gitignore", "build/\n")
        mine.with_name("kept").write_text("mine")
        for place, left in (("new/deep", None), ("p", {".gitignore": "build/\n", "kept": "mine"})):
            with self.subTest(place):
                done = subprocess.run([CADRE, "init", place], cwd=self.folder, text=True, capture_output=True, timeout=60,
                                      preexec_fn=with_little_room, restore_signals=False)
                self.assertEqual((done.returncode, done.stdout), (UNAVAILABLE, ""), done.stderr)
                self.assertIn("cannot write", done.stderr)
                folder = self.folder / place.split("/")[0]
                self.assertEqual(left is not None, folder.exists())
                self.assertEqual({file.name: file.read_text() for file in folder.iterdir()} if left else None, left)
                self.assertEqual(self.cadre("init", place).returncode, 0)

    def test_nothing_is_overwritten(self):
        mine = self.write("teams/writers.yaml", "mine\n")
        done = self.cadre("init", ".")
        self.assertEqual(done.returncode, CONFLICT)
        self.assertIn("teams/writers.yaml is already there", done.stderr)
        self.assertEqual(mine.read_text(), "mine\n")
        self.assertFalse((self.folder / "cadre.yaml").exists())


class Schema(Folder):
    def test_one_and_all(self):
        team = json.loads(self.cadre("schema", "team").stdout)
        self.assertEqual((team["title"], team["additionalProperties"]), ("team", False))
        names = self.cadre("schema").stdout.split()
        self.assertEqual(names, sorted(names))
        self.assertEqual(self.cadre("schema", "--all", "out").returncode, 0)
        written = {file.name: json.loads(file.read_text()) for file in (self.folder / "out").iterdir()}
        self.assertEqual(set(written), {f"{name}.schema.json" for name in names})
        self.assertEqual(written["team.schema.json"], team)

    # STORE-07 F
    def test_schemas_in_a_folder_contracts_take_the_examples_and_nothing_that_is_wrong(self):
        self.assertEqual(self.cadre("schema", "--all", "contracts").returncode, 0)
        examples = {"project/cadre.yaml": "project", "project/teams/support.yaml": "team", "teams/two_writers.yaml": "team", "teams/newsroom.yaml": "team",
                    "project/agents/writer.yaml": "agent", "project/agents/researcher.json": "framework_agent",
                    "project/workflows/report.json": "workflow", "project/config/mcp_servers.yaml": "mcp_servers",
                    "project/config/retention_policy.yaml": "retention_policy", "project/config/domains.yaml": "domains",
                    "project/config/appsettings.json": "app_settings", "project/agents/config/channels.yaml": "channels",
                    "project/agents/config/style_guide.yaml": "style_guide", "teams/two_writers.test.yaml": "test", "teams/newsroom.test.yaml": "test",
                    "project/teams/support.test.yaml": "test", "project/agents/writer.test.yaml": "test",
                    "project/agents/researcher.test.yaml": "test", "shop/cadre.yaml": "project", "shop/config/domains.yaml": "domains",
                    "shop/config/mcp_servers.yaml": "mcp_servers", "smart_home/cadre.yaml": "project",
                    "smart_home/teams/home.yaml": "team", "smart_home/config/appsettings.json": "app_settings",
                    "messages/cadre.yaml": "project", "messages/agents/config/channels.yaml": "channels",
                    "messages/agents/config/style_guide.yaml": "style_guide"}
        kinds = {"agents": "agent", "teams": "team", "workflows": "workflow"}  # by their folders
        for file in (ROOT / "examples/workflows").rglob("*.yaml"):
            if file.name != "script.yaml":
                kind = "test" if file.name.endswith(".test.yaml") else kinds.get(file.parent.name, "project")
                examples[str(file.relative_to(ROOT / "examples"))] = kind
        for file in (ROOT / "examples/teams").rglob("*.yaml"):
            if file.name != "script.yaml":
                kind = "test" if file.name.endswith(".test.yaml") else "team" if file.parent.name == "teams" else "project"
                examples[str(file.relative_to(ROOT / "examples"))] = kind
        self.assertEqual(set(examples), {str(file.relative_to(ROOT / "examples")) for file in (ROOT / "examples").rglob("*")
                                         if file.suffix in (".yaml", ".json") and file.parent.name not in ("scripts", "tools")
                                         and file.name != "script.yaml"})
        wrong = self.write("wrong.yaml", "name: desk\nagents: none\n")
        pairs = [[self.folder / f"contracts/{schema}.schema.json", ROOT / "examples" / file] for file, schema in examples.items()]
        pairs.append([self.folder / "contracts/team.schema.json", wrong])
        done = subprocess.run([NODE, "--input-type=module", "-e", JUDGE, json.dumps(pairs, default=str)], cwd=ROOT / "tests/node",
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(json.loads(done.stdout)), [str(wrong)], done.stdout)

    def test_an_unknown_name_gets_a_suggestion(self):
        done = self.cadre("schema", "taem")
        self.assertEqual(done.returncode, NOT_FOUND)
        self.assertIn('did you mean "team"?', done.stderr)


class InitStaysHome(unittest.TestCase):
    def test_links_and_files_in_the_way_stop_init_before_it_writes_anything(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "elsewhere").mkdir()
            cases = {"link": lambda place: (place / "teams").symlink_to(root / "elsewhere"),
                     "file": lambda place: (place / "workflows").write_text("mine"),
                     "schemas": lambda place: (place / ".cadre/schemas").mkdir(parents=True)}
            for name, prepare in cases.items():
                with self.subTest(name):
                    place = root / name
                    place.mkdir()
                    prepare(place)
                    before = sorted(os.listdir(place))
                    done = subprocess.run([CADRE, "init", str(place)], capture_output=True, text=True, timeout=30)
                    self.assertEqual(done.returncode, 5, done.stderr)
                    self.assertIn("nothing was changed", done.stderr)
                    self.assertEqual(sorted(os.listdir(place)), before)
            self.assertEqual(os.listdir(root / "elsewhere"), [])


if __name__ == "__main__":
    unittest.main()
