"""template_bench.py FILE: what Debian's Jinja takes for the same prompt and condition, for template_bench.cpp."""
import json
import sys
import time

import jinja2
import jinja2.sandbox

with open(sys.argv[1], encoding="utf-8") as file:
    given = json.load(file)
environment = jinja2.sandbox.ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)


def microseconds(work, times=200, rounds=20):
    best = 1e9
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - start) * 1e6 / times)
    return best


prompt = environment.from_string(given["prompt"])
condition = environment.compile_expression(given["condition"])
same = "the same text" if prompt.render(given["names"]) == given["text"] else "ANOTHER TEXT"
print(f"render {microseconds(lambda: prompt.render(given['names'])):.1f} us, "
      f"parse {microseconds(lambda: environment.from_string(given['prompt']), 5, 5):.0f} us; "
      f"condition {microseconds(lambda: condition(**given['names'])):.1f} us, "
      f"parse {microseconds(lambda: environment.compile_expression(given['condition']), 20, 5):.0f} us; {same}")
