"""run_unittest.py FILE [-k=PATTERN]: runs a file of unittest cases and writes the ledger (see ledger.py).

A test that passes without having asserted anything failed: it proves nothing. So did one that unittest does not load.
"""
import argparse
import ast
import importlib.util
import inspect
import os
import pathlib
import re
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lib import ledger  # noqa: E402


class Result(unittest.TextTestResult):
    """One line for each test when it ends: a test with several failing subTests still failed once."""
    ledger = file = os.devnull

    def startTest(self, test):
        super().startTest(test)
        self.outcome, self.started, self.asserted = ("passed", ""), time.monotonic(), False
        for name in dir(test):  # those of unittest and the test's own
            if name.startswith("assert") or name == "fail":
                setattr(test, name, self.noticing(getattr(test, name)))

    def noticing(self, method):
        def call(*args, **kwargs):
            self.asserted = True
            return method(*args, **kwargs)
        return call

    def stopTest(self, test):
        file = os.path.relpath(inspect.getsourcefile(method_of(test)), ledger.tree.ROOT)
        line = method_of(test).__code__.co_firstlineno
        if self.outcome[0] == "passed" and not self.asserted:
            self.outcome = ("failed", "made no assertion. Fix: assert what must be true; or self.skipTest(reason)")
            print(f"{name_of(test)}: {self.outcome[1]}", flush=True)
        ledger.add(self.ledger, self.outcome[0], f"{file}:{line}", name_of(test), self.outcome[1],
                   time.monotonic() - self.started)
        super().stopTest(test)

    def note(self, status, test, reason):
        if isinstance(test, unittest.TestCase) or hasattr(test, "test_case"):
            self.outcome = (status, reason)
        else:  # setUpClass or setUpModule: there is no test yet
            ledger.add(self.ledger, status, f"{self.file}:1", str(test), reason)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note("failed", test, last_line(err))

    def addError(self, test, err):
        super().addError(test, err)
        self.note("failed", test, last_line(err))

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            self.note("failed", test, f"{subtest._subDescription()} {last_line(err)}")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.note("failed", test, "expectedFailure proves nothing; assert what should happen, or skip with a reason")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.note("failed", test, "was expected to fail")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.note("skipped", test, reason)


def last_line(err):
    return f"{err[0].__name__}: {err[1]}".splitlines()[0]


def name_of(test):
    return f"{type(test).__name__}: {test._testMethodName[len('test'):].strip('_').replace('_', ' ')}"


def method_of(test):
    return inspect.unwrap(getattr(test, test._testMethodName))


def tests_in(node):
    """Every function of a source, in classes and beside them, that looks like a test."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from tests_in(child)
        elif child.name.startswith("test"):
            yield child


def not_loaded(file, loaded):
    """The tests of a file of which unittest knows nothing; a second one of the same name hides the first."""
    codes = [method_of(case).__code__ for case in loaded]
    known = {code.co_firstlineno for code in codes if os.path.samefile(code.co_filename, file)}
    return [test for test in tests_in(ast.parse(file.read_text()))
            if min(part.lineno for part in (test, *test.decorator_list)) not in known]


def cases(suite):
    for test in suite:
        yield from cases(test) if isinstance(test, unittest.TestSuite) else [test]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("-k", default="", type=lambda text: text.lstrip("="))
    args = parser.parse_args()

    Result.ledger, Result.file = ledger.mine(args.file.as_posix()), args.file.as_posix()
    sys.path.insert(0, str(args.file.resolve().parent))
    spec = importlib.util.spec_from_file_location(args.file.stem, args.file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[args.file.stem] = module
    spec.loader.exec_module(module)
    loaded = list(cases(unittest.defaultTestLoader.loadTestsFromModule(module)))
    left_out = [test for test in not_loaded(args.file, loaded) if re.search(args.k, test.name, re.I)]
    for test in left_out:
        what = "unittest does not load it. Fix: make it a method of a unittest.TestCase, with a name of its own"
        print(f"{args.file}:{test.lineno}: {test.name}: {what}", flush=True)
        ledger.add(Result.ledger, "failed", f"{args.file}:{test.lineno}", test.name, what)
    chosen = [case for case in loaded if re.search(args.k, name_of(case), re.I)]
    runner = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Result)
    well = runner.run(unittest.TestSuite(chosen)).wasSuccessful() and not left_out
    ledger.end(Result.ledger)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
