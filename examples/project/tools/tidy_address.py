#!/usr/bin/env python3
"""A custom tool: JSON on standard input, JSON on standard output; the function's name is the first argument."""
import json
import sys

arguments = json.load(sys.stdin)
json.dump({"address": " ".join(arguments.get("address", "").split())}, sys.stdout)
