"""Random expressions and templates, the same ones on every machine, for template_judge_test.py."""

CONTEXT = {
    "n": 7, "k": -3, "zero": 0, "big": 9007199254740993, "x": 2.5, "y": -0.75, "w": 1e16, "tiny": 1.5e-7, "minus": -0.0,
    "s": "Hello World", "p": "the quick brown-fox -- it's \"here\", isn't it?", "u": "straße ΑΣ ΟΔΟΣ İ é 日本 😀 ﬁ ǅ", "e": "",
    "h": "<b>A &amp; \"b\"</b> <!-- c --> it's &eacute;&#33;", "num": " 42 ", "fl": "3.14", "hex": "0x1F",
    "multi": "line one\n  line two\r\n\nline four\tend", "t": True, "no": False, "nothing": None,
    "l": [3, 1, 2], "words": ["pear", "Apple", "fig", "apple", "Fig"], "m": [1, "a", None, 2.5, True], "el": [],
    "nested": [[1, 2], [3, [4, "x"]]], "d": {"a": 1, "b": "two", "c": [1, 2], "Z": None}, "ed": {},
    "rows": [{"name": "Ann", "age": 30, "tags": ["x", "y"], "city": "Rome"}, {"name": "bob", "age": 25, "tags": [], "city": "rome"},
             {"name": "Cid", "age": 30, "tags": ["z"], "city": "Oslo"}],
}
INCLUDES = {"part": "[{{ n }}{% for i in l %}{{ i }}{% endfor %}]\n", "deep": "<{% include 'part' %}>", "sets": "{% set s = 'inner' %}{{ s }}"}

INTEGERS = ["n", "k", "zero", "big", "0", "1", "2", "3", "10", "-1", "255", "1_000", "0x1f", "d.a", "rows[0].age", "l[0]"]
FLOATS = ["x", "y", "w", "tiny", "minus", "0.5", "1.0", "2.75", "1e3", "-0.1", "1e-5"]
TEXTS = ["s", "p", "u", "e", "h", "num", "fl", "hex", "multi", "''", "'a'", "'abc'", '"it\'s"', "'A-b c'", "'%s'", "'x,y,,z'", "words[1]", "d.b",
         "rows[0]['name']", "'é\\n\\t'", "'\\u00e9\\x41'"]
LISTS = ["l", "words", "m", "el", "nested", "rows", "d.c", "[]", "[1, 2.0, 3]", "['b', 'A', 'c']", "(1, 2)", "(3,)", "()", "range(4)",
         "range(5, 0, -2)", "[true, false, none]", "d.keys()", "d.values()", "d.items()", "rows[0].tags"]
DICTS = ["d", "ed", "rows[0]", "{'a': 1, 'B': 2}", "{}", "{1: 'x', 'k': 2.5, none: []}", "{true: 1, 1: 2}"]
UNKNOWN = ["missing", "d.zz", "l[9]", "s.nope", "x.y", "rows[5]", "d['q']"]
BINARY = ["+", "-", "*", "/", "//", "%"]
COMPARE = ["==", "!=", "<", "<=", ">", ">="]
TESTS = ["boolean", "defined", "even", "integer", "iterable", "mapping", "none", "number", "odd", "sequence", "string", "undefined"]


class Random:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed

    def below(self, bound):
        self.state = (self.state + 0x9E3779B97F4A7C15) & (2**64 - 1)
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
        return (mixed ^ (mixed >> 31)) % bound

    def pick(self, choices):
        return choices[self.below(len(choices))]

    def chance(self, percent):
        return self.below(100) < percent


class Expressions(Random):
    names = ()  # what a template around has set

    def any(self, depth):
        if self.chance(3):
            return self.pick(UNKNOWN)
        if self.names and self.chance(30):
            return self.pick(self.names)
        return self.pick([self.integer, self.number, self.text, self.text, self.list, self.dict, self.boolean, self.choice])(depth)

    def of(self, kind, depth):
        """Mostly of this kind: what fails must fail in both."""
        return self.any(depth) if self.chance(6) else kind(depth)

    def small(self):
        return self.pick(["0", "1", "2", "3", "4", "5", "-1", "-2"])

    def integer(self, depth):
        if depth <= 0 or self.chance(25):
            return self.pick(INTEGERS)
        depth -= 1
        return self.pick([
            lambda: f"({self.of(self.integer, depth)} {self.pick(BINARY)} {self.of(self.integer, depth)})",
            lambda: f"{self.of(self.integer, depth)} {self.pick(BINARY)} {self.of(self.integer, depth)}",
            lambda: f"{self.of(self.integer, 0)} ** {self.small()}",
            lambda: f"-{self.of(self.integer, 0)} ** {self.pick(['2', 'n', '3', 'l[2]'])}",
            lambda: f"-{self.of(self.integer, depth)}",
            lambda: f"{self.of(self.list, depth)}|length",
            lambda: f"{self.of(self.text, depth)}|{self.pick(['length', 'wordcount', 'int', 'int(5)', 'int(base=16)', 'int(7, 0)'])}",
            lambda: f'''({self.of(self.number, depth)})|{self.pick(['int', 'abs', 'round|int', "round(0, 'floor')|int"])}''',
            lambda: f"{self.of(self.integer, depth)}|{self.pick(['abs', 'int', 'round', 'round(-1)', 'round(-2)', 'default(3)'])}",
            lambda: f"{self.of(self.list, depth)}|{self.pick(['sum', 'first', 'last', 'max', 'min', 'sum(start=1)'])}",
            lambda: f"rows|sum(attribute='{self.pick(['age', 'name', 'zz'])}')",
        ])()

    def number(self, depth):
        if depth <= 0 or self.chance(25):
            return self.pick(FLOATS)
        depth -= 1
        return self.pick([
            lambda: f"({self.of(self.number, depth)} {self.pick(BINARY)} {self.of(self.integer, depth)})",
            lambda: f"{self.of(self.integer, depth)} / {self.of(self.integer, depth)}",
            lambda: f"{self.of(self.number, 0)} ** {self.small()}",
            lambda: f'''({self.of(self.number, depth)})|round({self.pick(['', '1', '2', '3', '-1', "1, 'ceil'", "2, 'floor'", "0, 'common'"])})''',
            lambda: f"{self.of(self.text, depth)}|float{self.pick(['', '(1.5)', '(default=none)'])}",
            lambda: f"{self.of(self.integer, depth)}|float",
            lambda: f"-{self.of(self.number, depth)}",
        ])()

    def text(self, depth):
        if depth <= 0 or self.chance(25):
            return self.pick(TEXTS)
        depth -= 1
        text = lambda: self.of(self.text, depth)  # noqa: E731
        return self.pick([
            lambda: f"{text()} ~ {self.any(depth)}",
            lambda: f"({text()} + {text()})",
            lambda: f"({text()}) * {self.small()}",
            lambda: f"{text()}|{self.pick(['upper', 'lower', 'title', 'capitalize', 'trim', 'escape', 'striptags', 'string', 'reverse', 'urlencode', 'tojson', 'first', 'last'])}",
            lambda: f"({self.any(depth)})|{self.pick(['string', 'tojson', 'escape', 'upper', 'lower', 'urlencode', 'tojson(indent=2)', 'title', 'trim'])}",
            lambda: f'''{text()}|truncate({self.pick(['3', '5', '8', '10', '5, true', "8, false, '…'", "6, true, '', 0", '255'])})''',
            lambda: f'''{text()}|wordwrap({self.pick(['5', '10', '3, false', "8, true, '|'", '6, break_on_hyphens=false', '1', '20'])})''',
            lambda: f'''{text()}|indent{self.pick(['', '(2)', '(2, true)', '(1, true, true)', "('> ')", '(blank=true)'])}''',
            lambda: f"{text()}|replace({text()}, {text()}{self.pick(['', ', 1', ', 2', ', 0', ', none'])})",
            lambda: f'''{self.of(self.list, depth)}|join{self.pick(['', "(', ')", "('-')", '(n)'])}''',
            lambda: f"rows|join('/', attribute='{self.pick(['name', 'age', 'tags', 'tags.0'])}')",
            lambda: f'''({text()}).{self.pick(['upper()', 'lower()', 'strip()', "strip('aeb ')", "replace('o', '0')", "replace('l', 'L', 1)"])}''',
            lambda: f"({text()})[{self.pick(['0', '-1', '1:', ':-1', '::2', '::-1', '1:4', '-3:', '5:2:-1', ':', '9'])}]",
            lambda: f"{text()}|trim({text()})",
            self.formatted(depth),
            lambda: f"{text()}|default({text()}{self.pick(['', ', true', ', boolean=false'])})",
        ])()

    def formatted(self, depth):
        def make():
            one = self.pick(["%s", "%d", "%5.2f", "%r", "%x", "%05d", "%-6s|", "%+d", "%e", "%g", "%%", "%c", "%o", "%#x", "%.3s", "% d", "%i"])
            two = self.pick(["%s", "%d", "%s and %s", "%(a)s", ""])
            values = ", ".join(self.any(depth) for _ in range(self.below(3)))
            return self.pick([f"'{one}'|format({values})", f"'{one}{two}' % ({values},)" if values else f"'{one}' % ()", f"'{one}' % {self.pick(INTEGERS + FLOATS + TEXTS + DICTS)}",
                              f"'%(a)s:%(b)r'|format(a={self.any(0)}, b={self.any(0)})"])
        return make

    def list(self, depth):
        if depth <= 0 or self.chance(25):
            return self.pick(LISTS)
        depth -= 1
        items = lambda: self.of(self.list, depth)  # noqa: E731
        return self.pick([
            lambda: "[" + ", ".join(self.any(depth) for _ in range(self.below(4))) + "]",
            lambda: "(" + ", ".join(self.any(depth) for _ in range(2 + self.below(2))) + ")",
            lambda: f"({items()} + {items()})",
            lambda: f"{items()} * {self.small()}",
            lambda: f"{items()}|{self.pick(['list', 'sort', 'reverse|list', 'unique|list', 'sort(reverse=true)', 'sort(case_sensitive=true)', 'sort|reverse|list'])}",
            lambda: f'''{items()}|{self.pick(['select', 'reject'])}({self.pick(['', "'odd'", "'string'", "'gt', 1", "'in', [1, 'a']", "'number'", "'divisibleby', 2", "'defined'", "'ne', 'fig'"])})|list''',
            lambda: f'''{items()}|map({self.pick(["'string'", "'upper'", "'abs'", "'length'", "'default', 1", "'round', 1", "'list'", "'tojson'", "'join', '-'", "'int'", "'first'"])})|list''',
            lambda: f'''rows|{self.pick(['selectattr', 'rejectattr'])}({self.pick(["'tags'", "'age', 'gt', 26", "'name', 'eq', 'Ann'", "'zz', 'defined'", "'zz'", "'tags.0', 'defined'"])})|map(attribute='name')|list''',
            lambda: f"rows|map(attribute='{self.pick(['name', 'age', 'tags', 'tags.0', 'zz'])}'{self.pick(['', ', default=0'])})|list",
            lambda: f'''rows|{self.pick(["groupby('city')", "groupby('age')", "groupby('city', case_sensitive=true)", "groupby('zz', default=1)"])}|map(attribute='grouper')|list''',
            lambda: f"rows|groupby('age')|map('last')|map('length')|list",
            lambda: f"rows|sort(attribute='{self.pick(['age', 'name', 'city,name', 'age,city', 'zz', 'tags'])}')|map(attribute='name')|list",
            lambda: f'''{items()}|{self.pick(['batch(2)|list', 'batch(2, 0)|list', "batch(3, 'x')|list", 'slice(2)|list', 'slice(3, 0)|list', 'batch(1)|list'])}''',
            lambda: f'''{self.of(self.dict, depth)}|{self.pick(['dictsort', 'items|list', 'list', 'dictsort(true)', "dictsort(by='value')", 'dictsort(reverse=true)'])}''',
            lambda: f"{self.of(self.text, depth)}|list",
            lambda: f'''({self.of(self.text, depth)}).split({self.pick(['', "','", "' '", "' ', 1", 'none, 1', 'maxsplit=1', "'l'"])})''',
            lambda: f"({items()})[{self.pick(['1:', ':-1', '::2', '::-1', ':2', '-2:', '5:', '1:2:3'])}]",
            lambda: f"range({self.of(self.integer, 0)})|list" if self.chance(50) else "range(" + ", ".join(self.small() for _ in range(1 + self.below(3))) + ")",
        ])()

    def dict(self, depth):
        if depth <= 0 or self.chance(40):
            return self.pick(DICTS)
        depth -= 1
        keys = lambda: self.pick([lambda: self.of(self.text, 0), lambda: self.of(self.integer, 0), lambda: self.any(0)])()  # noqa: E731
        return "{" + ", ".join(f"{keys()}: {self.any(depth)}" for _ in range(self.below(3))) + "}"

    def boolean(self, depth):
        if depth <= 0 or self.chance(15):
            return self.pick(["true", "false", "t", "no", "True", "False"])
        depth -= 1
        return self.pick([
            lambda: f"{self.of(self.number, depth)} {self.pick(COMPARE)} {self.of(self.integer, depth)}",
            lambda: f"{self.of(self.text, depth)} {self.pick(COMPARE)} {self.of(self.text, depth)}",
            lambda: f"({self.of(self.list, depth)}) {self.pick(COMPARE)} {self.of(self.list, depth)}",
            lambda: f"{self.any(depth)} == {self.any(depth)}",
            lambda: f"{self.integer(0)} {self.pick(COMPARE)} {self.integer(0)} {self.pick(COMPARE)} {self.number(0)}",
            lambda: f"{self.any(depth)} {self.pick(['in', 'not in'])} {self.of(self.list, depth)}",
            lambda: f"{self.of(self.text, depth)} {self.pick(['in', 'not in'])} {self.of(self.text, depth)}",
            lambda: f"{self.of(self.text, 0)} in {self.of(self.dict, depth)}",
            lambda: f"({self.any(depth)}) is {self.pick(['', 'not '])}{self.pick(TESTS)}",
            lambda: f"{self.of(self.integer, depth)} is {self.pick(['divisibleby 3', 'divisibleby(2)', 'gt 2', 'eq(7)', 'lt(x)', 'in [1, 7]', 'in l', 'ne 3', 'ge k', 'le 0'])}",
            lambda: f"not {self.any(depth)}",
            lambda: f"{self.any(depth)} {self.pick(['and', 'or'])} {self.any(depth)}",
            lambda: f'''({self.of(self.text, depth)}).{self.pick(['startswith', 'endswith'])}({self.pick([self.text(0), "('H', 'x')", "''", "'l', 2", "'d', -3"])})''',
            lambda: f"({self.any(depth)}, {self.any(depth)}) == ({self.any(depth)}, {self.any(0)})",
        ])()

    def choice(self, depth):
        depth -= 1
        if depth < 0:
            return self.pick(["nothing", "none", "m", "t"])
        return self.pick([
            lambda: f"({self.any(depth)} if {self.any(depth)} else {self.any(depth)})",
            lambda: f"({self.any(depth)} if {self.any(depth)})",
            lambda: f"{self.any(depth)}|default({self.any(depth)})",
            lambda: f"({self.any(depth)})[{self.any(0)}]",
            lambda: f"({self.any(depth)}).{self.pick(['a', 'b', 'name', 'zz', '0', '1'])}",
            lambda: f"({self.of(self.dict, depth)}).get({self.any(0)}{self.pick(['', ', 1', ', none'])})",
            lambda: f"({self.any(depth)}, {self.any(depth)})",
            lambda: f"{self.any(depth)} {self.pick(BINARY)} {self.any(depth)}",
            lambda: f"{self.of(self.list, depth)}|{self.pick(['first', 'last', 'max', 'min', 'max(case_sensitive=true)'])}",
            lambda: f"rows|{self.pick(['max', 'min'])}(attribute='{self.pick(['age', 'name', 'zz'])}')",
        ])()

    def expression(self):
        return self.any(1 + self.below(4))

    def different(self, count):
        """So many, none twice."""
        seen = set()
        while len(seen) < count:
            text = self.expression()
            if text not in seen:
                seen.add(text)
                yield text


class Templates(Expressions):
    """Statements around expressions; names that are set are used."""

    def open(self, word):
        return self.pick(["{% ", "{%- ", "{%", "{%+ ", "{%-"]) + word

    def close(self):
        return self.pick([" %}", " -%}", "%}", " +%}", "-%}"])

    def tag(self, text):
        return self.open(text) + self.close()

    def data(self):
        return self.pick(["", " ", "\n", "a", " b ", "\r\n  c\n", "x\n\n", "{ }", "}}", "%}", "é ", "{", "\t\n ", "# ", "-", "\u00a0\n"])

    def output(self):
        return self.pick(["{{ ", "{{- ", "{{", "{{+ "]) + self.any(self.below(3)) + self.pick([" }}", " -}}", "}}", " }}\n"])

    def bound(self, names, body):
        before, self.names = self.names, (*self.names, *names)
        text = body()
        self.names = before
        return text

    def block(self, depth):
        return "".join(self.pick([self.data, self.data, self.output, lambda: self.statement(depth - 1)])() for _ in range(1 + self.below(4)))

    def statement(self, depth):
        if depth <= 0:
            return self.output()
        return self.pick([self.condition, self.loop, self.loop, self.set, self.set_block, self.with_, self.filter, self.raw, self.comment, self.include])(depth)

    def condition(self, depth):
        text = self.tag(f"if {self.any(2)}") + self.block(depth)
        for _ in range(self.below(2)):
            text += self.tag(f"elif {self.any(1)}") + self.block(depth)
        if self.chance(50):
            text += self.tag("else") + self.block(depth)
        return text + self.tag("endif")

    def loop(self, depth):
        target, names = self.pick([("i", ["i"]), ("i", ["i"]), ("a, b", ["a", "b"]), ("(a, b)", ["a", "b"])])
        over = self.of(self.list, 1) if len(names) == 1 else self.pick(["d.items()", "d|items", "words|batch(2)", "[(1, 2), 'ab']", "d|dictsort", self.list(1)])
        where = f" if {self.bound(names, lambda: self.any(1))}" if self.chance(25) else ""
        part = ["loop.index", "loop.index0", "loop.first", "loop.last", "loop.length", "loop.revindex", "loop.revindex0", "loop.cycle('x', 'y')",
                "loop.changed(i|string|length)", "loop.previtem|default('none')", "loop.nextitem|default('none')", "loop.depth"]
        inner = lambda: self.block(depth) + (("{{ " + self.pick(part) + " }}") if self.chance(60) else "") + self.block(depth - 1)  # noqa: E731
        text = self.tag(f"for {target} in {over}{where}") + self.bound(names, inner)
        if self.chance(30):
            text += self.tag("else") + self.block(depth)
        return text + self.tag("endfor")

    def set(self, depth):
        name = self.pick(["v", "i", "s", "n"])
        text = self.pick([lambda: self.tag(f"set {name} = {self.any(2)}"), lambda: self.tag(f"set {name}, q = {self.any(1)}, {self.any(1)}"),
                          lambda: self.tag(f"set {name}, q = {self.list(1)}")])()
        return text + "{{ " + name + " }}"

    def set_block(self, depth):
        through = self.pick(["", " | upper", " | trim | length", " | replace('a', 'n')"])
        return self.tag(f"set v{through}") + self.block(depth) + self.tag("endset") + "{{ v }}"

    def with_(self, depth):
        text = self.tag(f"with v = {self.any(1)}, q = {self.any(1)}")
        return text + self.bound(["v", "q"], lambda: self.block(depth)) + self.tag("endwith")

    def filter(self, depth):
        through = self.pick(["upper", "trim", "replace('a', '4')", "escape", "title|trim", "indent(2)", "list"])
        return self.tag(f"filter {through}") + self.block(depth) + self.tag("endfilter")

    def raw(self, depth):
        return self.pick(["{% raw %}", "{%- raw -%}", "{%raw%}"]) + self.data() + "{{ raw }}{% if %}" + self.data() + self.tag("endraw")

    def comment(self, depth):
        return self.pick(["{# ", "{#- "]) + self.data() + "{{ n }}" + self.pick([" #}", " -#}", " +#}"])

    def include(self, depth):
        return self.tag(f"include '{self.pick(list(INCLUDES))}'{self.pick(['', '', ' ignore missing', ' with context'])}")

    def template(self):
        self.names = ()
        return "".join(self.pick([self.data, lambda: self.statement(3)])() for _ in range(1 + self.below(4)))
