"""The judge: Debian's Jinja, sandboxed and strict. Reads and writes what template_tool does, for template_judge_test.py.

Besides, `apart` says what a difference may be due to: "address" (the text shows where an object lies in memory), "wide" (an integer left
64 bits on the way), "complex", "set", "const" (Jinja's own code does not know the infinity that it wrote down).
"""
import json
import re
import resource
import sys
import warnings

import jinja2
import jinja2.sandbox

ADDRESS = re.compile(r"object \w+ at 0x|object at 0x|<LoopContext|<function |<built-in ")
WIDE = 2**63


class Watching(jinja2.sandbox.ImmutableSandboxedEnvironment):
    """Notices integers beyond 64 bits, and numbers that are not real, wherever they come from."""
    intercepted_binops = frozenset(["+", "-", "*", "/", "//", "%", "**"])
    intercepted_unops = frozenset(["+", "-"])
    noticed = None

    def notice(self, value):
        if isinstance(value, (complex, set)):
            self.noticed = type(value).__name__
        elif isinstance(value, int) and not -WIDE <= value < WIDE:
            self.noticed = self.noticed or "wide"
        return value

    def call_binop(self, context, operator, left, right):
        return self.notice(super().call_binop(context, operator, left, right))

    def call_unop(self, context, operator, arg):
        return self.notice(super().call_unop(context, operator, arg))


def environment(kind, includes):
    return kind(undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader(includes))


class Judge:
    def __init__(self, context, includes):
        self.text, self.includes = json.dumps(context), includes
        self.environment = environment(jinja2.sandbox.ImmutableSandboxedEnvironment, includes)

    def value(self, line, env):
        context = json.loads(self.text)  # a new one each time: `indent` changes a list that it is given
        if "template" in line:
            return env.from_string(line["template"]).render(context)
        value = env.compile_expression(line["expression"], undefined_to_none=False)(**context)
        if isinstance(value, jinja2.Undefined):
            raise jinja2.UndefinedError("the result is undefined")
        return repr(value)

    def watched(self, line):
        env = environment(Watching, self.includes)
        for name in ("int", "abs", "sum"):
            env.filters[name] = self.watching(env, env.filters[name])
        env.filters["round"] = self.watching(env, self.round_at_length(env, env.filters["round"]))
        try:
            self.value(line, env)
        except Exception:  # noqa: BLE001: whatever it was, it was noticed before
            pass
        wide_literal = any(int(digits.replace("_", "")) >= WIDE for digits in re.findall(r"\d[\d_]{17,}", json.dumps(line)))
        return env.noticed or ("wide" if wide_literal else None)

    @staticmethod
    def watching(env, function):
        def call(*args, **kwargs):
            return env.notice(function(*args, **kwargs))
        call.__dict__.update(getattr(function, "__dict__", {}))
        return call

    @staticmethod
    def round_at_length(env, function):
        def call(value, precision=0, method="common"):
            if method != "common":
                env.notice(value * 10**precision)
            return function(value, precision, method)
        return call

    def answer(self, line):
        try:
            text = self.value(line, self.environment)
        except NameError as error:
            return {"error": str(error), "apart": "const"}
        except Exception as error:  # noqa: BLE001: whatever a template makes Python say
            return {"error": f"{type(error).__name__}: {error}"[:300]}
        if ADDRESS.search(text):
            return {"text": text, "apart": "address"}
        return {"text": text}


def main():
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    judge = None
    for text in sys.stdin:
        line = json.loads(text)
        if "context" in line:
            judge = Judge(line["context"], line.get("includes", {}))
        elif "why" in line:  # our side failed where this one did not
            print(json.dumps({"apart": judge.watched(line["why"])}))
        else:
            print(json.dumps(judge.answer(line)))


if __name__ == "__main__":
    main()
