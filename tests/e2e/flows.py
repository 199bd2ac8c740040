"""A project with workflows, agents and a tool whose calls can be counted."""
import json

from desk import Desk

COUNT = {"description": "Counts.", "input_schema": {"type": "object"}, "answers": [{"text": "counted", "count": True, "times": "any"}]}
APPROVED = {"from": "review", "to": {"approve": "publish", "legal": "legal"}}


class Workflows(Desk):
    def agents(self, *names):
        for name in names:
            self.write(f"agents/{name}.yaml", f"name: {name}\nrole: Works.\nprompt: You are {name}.\n")

    def workflow(self, nodes, edges, name="flow", **more):
        """Written as a file; its first node is where it begins."""
        edges = [{"from": edge[0], "to": edge[1]} if isinstance(edge, tuple) else edge for edge in edges]
        self.write("cadre.yaml", "name: flows\n")
        self.write(f"workflows/{name}.json", {"name": name, "patterns": ["react"], "nodes": nodes, "edges": edges,
                                              "entry_point": next(iter(nodes)), **more})

    def go(self, entries, *words, workflow="flow", env=None):
        return self.cadre("run", "--workflow", workflow, "--model", self.script(entries), *words, "Write about tea.", env=env)

    def published(self, **more):
        """draft → review → publish, which counts, or legal."""
        self.agents("writer", "lawyer")
        self.serve([{"name": "pub", **COUNT}])
        self.workflow({"draft": {"type": "agent", "agent": "writer"}, "review": {"type": "human"},
                       "legal": {"type": "agent", "agent": "lawyer"}, "publish": {"type": "tool", "tool": "mock.pub"}},
                      [("draft", "review"), APPROVED], **more)

    def files(self, task, pattern="checkpoint_*.json"):
        return [json.loads(file.read_text()) for file in sorted((self.home / "tasks" / task).glob(pattern))]

    def requests(self, path):
        return [json.loads(line) for line in path.read_text().splitlines()]

    def finish(self, task):
        """As a person would who looks at what has happened."""
        for _ in range(20):
            shown = self.show(task)
            if shown["task"]["status"] in ("completed", "failed"):
                return shown["task"]
            for question in shown["questions"]:
                kind, request = question["type"], question["id"]
                if kind == "approval":
                    self.cadre("approve", task, "--request", request, "--no-wait")
                else:
                    happened = question["context"].get("key", "") in self.counted()
                    self.cadre("answer", task, "--request", request, "--no-wait",
                               *(["--happened", "counted"] if happened else ["--not-happened"]))
            self.cadre("resume", task)
        self.fail(f"it does not end: {shown}")
