#!/usr/bin/env python3
"""A custom tool: takes spaces out of an address. JSON on standard input, JSON on standard output."""
import json
import sys

arguments = json.load(sys.stdin)["arguments"]
json.dump({"address": " ".join(arguments.get("address", "").split())}, sys.stdout)
