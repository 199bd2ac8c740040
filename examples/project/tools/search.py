#!/usr/bin/env python3
"""A custom tool: looks a word up in the shop's questions and answers. JSON on standard input, JSON on standard output."""
import json
import sys

ANSWERS = {"delivery": "Parcels arrive within three days.", "returns": "Send it back within 30 days."}

query = json.load(sys.stdin)["arguments"].get("query", "").lower()
json.dump({"answers": [text for word, text in ANSWERS.items() if word in query]}, sys.stdout)
