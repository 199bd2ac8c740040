"""The corpus for template_judge_test.py: written by hand, and everything with everything where there are few of each."""
import itertools

# one or more of every kind of value
VALUES = ["none", "true", "false", "0", "1", "-7", "9223372036854775807", "2.5", "-0.0", "1e16", "''", "'abc'", "'Hello wORLD'", "'<a href=\"x\">&lt;'|escape",
          "'42'", "' -3.7e2 '", "[]", "[3, 1, 2]", "['b', 'A', 'c']", "[[1, 2], [3]]", "(1, 2)", "()", "{}", "{'b': 1, 'a': 'x'}", "range(3)",
          "d.keys()", "d.values()", "d.items()", "l|map('string')", "missing", "(1 if false)", "[missing]", "[1, 'a']", "rows", "'é 日本 😀'", "'a\\nb'"]
FEW = ["none", "true", "3", "-2", "2.5", "'ab'", "'%s'", "'<'|escape", "[1, 2]", "(1,)", "{'a': 1}", "range(2)", "missing", "d.values()"]
FILTERS = ["abs", "batch(2)|list", "capitalize", "d", "default('x')", "default('x', true)", "dictsort", "escape", "first", "float", "float('n')", "format",
           "format(1)", "groupby(0)", "groupby('a')", "indent", "int", "int('n')", "items|list", "join", "join('-')", "last", "length", "list", "lower",
           "map('string')|list", "map(attribute='a')|list", "map('length')|list", "max", "min", "reject|list", "rejectattr('a')|list", "replace('a', 'b')",
           "reverse|list", "reverse|string", "round", "round(1)", "round(1, 'ceil')", "select|list", "select('string')|list", "selectattr('a')|list",
           "slice(2)|list", "sort", "sort(reverse=true)", "string", "striptags", "sum", "sum(start=1.5)", "title", "tojson", "tojson(indent=1)", "trim",
           "truncate", "truncate(3)", "unique|list", "upper", "urlencode", "wordcount", "wordwrap(3)"]
TESTS = ["boolean", "defined", "divisibleby 2", "divisibleby(0)", "eq 1", "even", "ge 1", "gt 1", "in [1, 'a']", "in 'abc'", "integer", "iterable", "le 1", "lt 1",
         "mapping", "ne 1", "none", "number", "odd", "sequence", "string", "undefined", "defined(1)", "in"]
NUMBERS = ["0", "1", "-1", "7", "-7", "0.0", "-0.0", "2.5", "-2.5", "1e300", "1e-300", "true", "9007199254740993", "-9223372036854775807"]
PRINTED = ["1e16", "1e15", "123456789012345680.0", "0.0001", "0.00001", "1.0", "100.0", "1e22", "1e21", "5e-324", "1.7976931348623157e308", "-0.0", "0.1 + 0.2",
           "1/3", "2/3", "1e400", "-1e400", "1e400 - 1e400", "'nan'|float", "'-inf'|float", "1e5", "12345.678", "1.5e-7", "9007199254740993/1", "9007199254740993/3",
           "-9223372036854775807/7", "1_000.5e1_0"]
DIRECTIVES = ["%s", "%r", "%a", "%d", "%i", "%u", "%o", "%x", "%X", "%#o", "%#x", "%#X", "%e", "%E", "%f", "%F", "%g", "%G", "%c", "%%", "%5s", "%-5s|", "%05d", "%+d",
              "% d", "%5.1f", "%-8.3e|", "%08.2f", "%#.0f", "%.0f", "%.3d", "%+.2d", "%.2s", "%.10g", "%#g", "%ld", "%lld", "%y", "%", "%5", "%(a)s", "%(a)d %(a)s", "%s %s",
              "%s %%", "%5%", "%.", "%*d", "a", "", "%.1s%s"]
FORMATTED = ["1", "-42", "2.5", "-0.0", "1e400", "'nan'|float", "'x'", "'é'", "''", "none", "true", "[1]", "(1,)", "(1, 2)", "()", "{'a': 3}", "{}", "missing", "65", "'ab'",
             "(5, 3)", "255"]
SLICES = ["[:]", "[1:]", "[:1]", "[-1:]", "[:-1]", "[::2]", "[::-1]", "[1:3]", "[3:1]", "[3:1:-1]", "[-100:100]", "[100:]", "[::-2]", "[::0]", "[none:2]", "[true:]",
          "['a':]", "[1.0:]", "[0]", "[-1]", "[5]", "[-9]", "['0']", "[1.0]", "[true]", "[none]", "[[]]", "[(1, 2)]", "[]", ".0", ".1", ".a", "[missing]"]
SLICED = ["'abcdef'", "'é日😀x'", "[1, 2, 3, 4]", "(1, 2, 3)", "range(2, 12, 3)", "{'a': 1, 1: 2}", "5", "none", "''", "[]", "d.keys()", "'<b>'|escape", "missing"]
ROUNDED = ["0.5", "1.5", "2.5", "-0.5", "2.675", "1.005", "1234.5678", "-1234.5678", "5.5", "15", "25", "-25", "149", "150", "1e20", "1e-20", "0.0", "-0.0", "true", "250.0",
           "350.0", "1e308", "12345678901234567", "9.995", "0.1", "45.0", "55.0", "4.999", "0.6", "94.9", "95.0"]
PRECISIONS = ["", "0", "1", "2", "3", "-1", "-2", "-3", "20", "-20", "400", "-400", "none", "true", "1.0", "1, 'ceil'", "1, 'floor'", "-1, 'ceil'", "-1, 'floor'", "0, 'up'",
              "2, 'floor'", "precision=1", "method='ceil'"]
INT_TEXTS = ["'7'", "' 7 '", "'+7'", "'-7'", "'7.9'", "'-7.9'", "'1e3'", "'0x1f'", "'0b11'", "'0o17'", "'1_000'", "'1__0'", "'_1'", "'1_'", "''", "'x'", "'１２'", "'٣٤'", "'nan'",
             "'inf'", "'1 2'", "'0777'", "'- 1'", "'1e'", "'.5'", "'5.'", "'.'", "'1e400'", "'\\xa07'", "'zz'", "'9223372036854775807'", "'1_0.5'", "'infinity'", "'0x'", "'é'"]
INT_CALLS = ["int", "int(9)", "int(base=16)", "int(0, 16)", "int(0, 0)", "int(0, 2)", "int(0, 36)", "int(0, 1)", "int(0, 'x')", "int(default=none)", "float", "float(1)"]
LITERALS = ["'a' 'b'", "'a\\x41\\u0042\\U00000043\\103'", "'\\n\\r\\t\\a\\b\\f\\v\\0'", "'\\q\\z'", "'it\\'s'", '"say \\"x\\""', "'\\\nx'", "'\\é'", "'\\x4'", "'\\u12'", "'\\ud8'",
            "'\\U00110000'", "'\"'", '"\'"', '"\'\\""', "'\\x7f\\x80\\xa0\\xad'", "'\\u200b\\u2028\\ufeff\\ue000'", "'\\U0001f600\\U000e0001\\U0010ffff'", "0x_ff", "0b1_0", "0o7", "00", "0_0",
            "007", "1__0", "1_", "_1", "0xg", "1e5", "1E5", "1.e5", ".5", "5.", "1.5.2", "1e", "1_0e1_0", "٣", "a٣", "é", "ª", "l.0", "l.1.2", "nested.1.1.0", "{'a': 1,}", "[1,]", "(1,)",
            "[,]", "{,}", "(,)", "{1}", "{'a'}", "[1 2]", "'a", "'a\"", "'''a'''", "{{}}", "{'a': {'b': {}}}", "{}[1]", "()()", "[1]()", "(1)", "((((1))))", "!x", "x!", "a ! b", "1 = 1",
            "$x", "`x`", "@x", "x ? 1 : 2", "1;", "#", "a b", "", " ", "\n1\n", "1 }}", "1 %}", "true", "True", "TRUE", "none", "None", "null", "nil", "-none", "not", "and", "if", "in", "is", "not not true"]
PRECEDENCE = ["1 + 2 * 3", "(1 + 2) * 3", "2 ** 3 ** 2", "-2 ** 2", "-2 ** n", "(-2) ** n", "(0 - 2) ** n", "2 ** -1", "-x ** 2", "- -2", "--2", "+-+2", "-2|abs", "(-2)|abs", "-n|abs", "1 - 2|abs",
              "1 < 2 < 3", "3 > 2 > 2", "1 < 2 > 1 != 3", "1 == 1 == 1", "1 < 3 == true", "not 1 in [1]", "not (1 in [1])", "1 not in [2]", "not 1 not in [2]", "1 in [1] == true", "1 in [1] in [[1]]",
              "true or false and false", "(true or false) and false", "not true or true", "not (true or true)", "1 or 2", "0 or ''", "1 and 2", "0 and missing", "1 or missing", "missing or 1",
              "1 ~ 2 + 3", "1 + 2 ~ 3", "1 ~ 2 * 3", "'a' ~ 'b' ~ none", "1 if 2 else 3", "1 if 0 else 3", "1 if 0", "1 if 1 if 0 else 2 else 3", "1 if true else 2 if false else 3",
              "a if missing is defined else 1", "1 if n > 3 and n < 9 else 2", "n is odd and n is number", "n is not even", "n is divisibleby 7 and true", "not n is odd", "n is in [7]", "n is in l or 3",
              "n is eq 7 if true else 1", "n is defined is defined", "(n is defined) is defined", "n is gt(3) == true", "l|length + 1", "l|length * 2|float", "(l|length)|string ~ 'x'", "l|sum / 3",
              "s|upper|lower|title", "s.upper().lower()", "s.upper()|lower", "(s ~ s)|length", "s ~ s|length", "l|first.x", "l|join(',').upper()", "(l|join(',')).upper()", "l|map('string')|join", "[1,2][0]", "[1,2].0",
              "{'a': [1]}.a[0]", "d['c'][1]", "d.c.1", "'abc'[1]", "'abc'|first", "-l[0]", "-l|sum", "n in l", "n not in l", "'a' in d", "1 in d", "'ell' in s", "1 in 'a'", "[] in d", "1 in 1", "none in l", "s in s",
              "a.b", "missing.a", "d.a.b", "d.zz.y", "d.zz is defined", "d.zz.y is defined", "missing is defined", "missing.x is defined", "not missing", "missing == 1", "missing ~ 'a'", "[missing]", "{'a': missing}",
              "{missing: 1}", "missing()", "n()", "s()", "s.upper", "d.items", "missing|d(missing2)|d(3)", "d.zz|d(1)", "missing.x|d(1)", "''|d('x')", "''|d('x', true)", "0|d(1, boolean=true)"]
ATTACKS = ["s.__class__", "s.__class__ is defined", "s.__class__.__mro__", "s['__class__']", "d.__class__", "l.__class__", "n.__class__", "l|map(attribute='__class__')|list", "''.format", "'{0.__class__}'.format(1) is undefined and missing",
           "l.append(1)", "d.update({})", "d.pop('a')", "d.clear()", "range.__class__", "range(100001)", "range(10, 0, 0)", "range()", "range(1, 2, 3, 4)", "range('a')", "range(1.0)", "range(a=1)", "range(*[1, 4])|list",
           "s|attr('x')|nope", "loop.index", "loop", "super()", "caller()", "varargs", "s|map|list", "l|map(attribute='x', zz=1)|list", "l|select(1)|list", "l|map(none)|list", "l|map(missing)|list",
           "l|batch(0)|list", "l|batch(-1)|list", "l|batch('a')|list", "l|batch(2.0)|list", "l|batch(2.0, 1)|list", "l|slice(0)|list", "l|slice(-1)|list", "l|slice(2.0)|list", "l|slice(10)|list", "l|slice(10, 'x')|list",
           "l|batch|list", "l|sort(zz=1)", "l|sort(1, 2, 3, 4)", "l|sort(reverse=1, reverse=2)", "l|join(d=',', attribute=none)", "l|join(*[','])", "l|join(**{'d': ','})", "l|join(',', **{'d': ','})", "l|join(**{1: 2})",
           "l|join(**l)", "l|join(*1)", "s.split(sep='l')", "s.split(sep='l', maxsplit=1)", "s.split('')", "s.split(1)", "s.split(none, 1)", "s.split(zz=1)", "s.replace('l')", "s.replace('l', 'L', count=1)", "s.strip(1)",
           "'-7'|int(0, missing)", "'-7'|int(missing)", "'x'|int(missing)", "'x'|float(missing)", "s.upper(1)", "s.startswith(1)", "s.startswith(['H'])", "s.startswith(('x', 'H'))", "s.startswith(('x', 1))", "s.startswith()", "s.endswith('d', 0, 3)", "s.startswith('', 100)", "s.startswith('', 11)", "d.get()", "d.get([])",
           "d.get('a', 1, 2)", "d.get('zz', missing)", "d.keys(1)", "d.keys() == {'a': 0, 'b': 0, 'c': 0, 'Z': 0}.keys()", "d.values() == d.values()", "d.items() == d.items()", "'a' in d.keys()", "1 in d.values()", "('a', 1) in d.items()",
           "d.keys()[0]", "d.keys()|length", "d.keys()|first", "d.keys()|last", "d.items()|last", "l|map('abs')|length", "(l|map('abs'))[0]", "l|map('abs')|first", "l|map('abs')|last", "not (l|map('abs'))", "(el|map('abs')) is iterable",
           "1 in l|map('abs')", "l|reverse|first", "l|reverse|length", "d|reverse|list", "s|reverse|reverse", "5|reverse", "none|reverse", "0|map('abs')|list", "none|select|list", "5|map('abs')|list", "''|map('upper')|list"]
MARKUP = ["('<'|escape) + '>'", "'>' + ('<'|escape)", "('<'|escape) ~ '>'", "('<'|escape) * 2", "[('<'|escape)]", "('<'|escape)|escape", "('<'|escape)|upper", "('a<'|escape)|title", "('<%s>'|escape) % '&'", "('%s'|escape)|format('<')",
          "('%d'|escape)|format('5')", "('%r'|escape) % '<'", "('%s %s'|escape) % ('<', 1)", "('%(a)s'|escape) % {'a': '<'}", "('%x'|escape) % 5", "('%s'|escape) % ('<'|escape)", "('a<b'|escape)[1]", "('a<b'|escape)[::-1]", "('a<b'|escape).split('&')",
          "('a<b'|escape).replace('&', '<')", "('a<b'|escape)|replace('&', '<')", "('  <b '|escape).strip()", "('<b<'|escape).strip('<')", "('<b<'|escape)|trim('<')", "('a<b'|escape)|list", "('a<b'|escape)|first", "('a<b'|escape)|last", "('a<b'|escape)|join('<')",
          "['<', ('<'|escape)]|join('<')", "('a<b'|escape)|reverse", "('a\nb'|escape)|indent", "('aaa bbb ccc ddd'|escape)|truncate(8)", "('aaa bbb ccc ddd'|escape)|truncate(8, true, '<')", "'aaa bbb ccc ddd'|truncate(8, true, '<'|escape)", "('a b'|escape)|wordwrap(1)",
          "'a b'|wordwrap(1, true, '<'|escape)", "('<'|escape) == '&lt;'", "{'&lt;': 1}['<'|escape]", "('<'|escape)|tojson", "('<'|escape)|length", "('<'|escape) in '&lt;'", "'&' in ('<'|escape)", "('<'|escape) < '&m'", "['<'|escape, 'b']|sort", "'<b>x</b> &amp;'|striptags",
          "('<b>'|escape)|striptags", "('a'|escape)|capitalize", "('<'|escape)|string", "('<'|escape) is string", "('<'|escape)|urlencode", "('1'|escape)|int", "('1.5'|escape)|float", "('<'|escape).upper() + '<'", "none|escape", "[1]|escape", "1|escape + '<'"]
TEXT_WORK = [f"{text}|{work}" for text in ["'the quick brown-fox jumps -- over it'", "'aaaaaaaaaaaaaaa'", "'a-b-c d--e ---f g-'", "'  lead  and  trail  '", "''", "'x\\n\\ny\\r\\nz'", "'éé éé éé'", "'a\\x0bb\\x1cc\\u2028d'", "'well-known e-mail non-stop-show'", "'\\xa0 a\\xa0b'"]
             for work in ["wordwrap(5)", "wordwrap(10)", "wordwrap(7, false)", "wordwrap(6, break_on_hyphens=false)", "wordwrap(4, true, '|')", "wordwrap(0)", "wordwrap('a')", "wordwrap(5, break_on_hyphens=1)", "truncate(5)", "truncate(5, true)", "truncate(9, false, '…', 0)",
                          "truncate(2)", "truncate(3, true)", "truncate(10, leeway=0)", "truncate(5.5)", "truncate(5, end='')", "indent", "indent(2, true)", "indent('> ', blank=true)", "indent(0)", "indent(-1)", "indent(1.5)", "title", "capitalize", "wordcount",
                          "trim", "trim('ae ')", "trim(none)", "trim(1)", "striptags", "urlencode", "replace('a', 'bb')", "replace('', '-')", "replace('', '-', 2)", "replace('a', '', 1)", "replace(1, 2)", "list|length", "reverse", "upper", "lower", "escape", "tojson", "first", "last",
                          "string|length", "split"]]
HTML = ["'<a>b</a>'", "'<!-- x --> y'", "'<!-- <b> --> z >'", "'a < b > c'", "'&lt;&gt;&amp;&quot;&#39;&#x27;&apos;'", "'&eacute;&euro;&nbsp;x&hellip;'", "'&ampersand &notit; &notin; &nosuch; &'", "'&#0;&#128;&#xD800;&#1114112;&#13;&#1;'", "'&#;&#x;&#xg;&;& ;'", "'<b\\n>x</b\\n> \\n\\t y'",
        "'<>x<'", "'&NotEqualTilde;&fjlig;'", "'&#65;&#x41;&#65 &#x41z'", "'&copy2024 &copy;2024 &COPY'", "'<!-->x-->'", "'<!--a'", "'&amp;lt;'"]
TEMPLATES = [
    # whitespace and lexing
    "a{%- if true -%} b {%- endif -%} c", "a {%- if true %} b {% endif -%} c", "  {%+ if true +%}\n x\n  {%+ endif %}\n", "{{ 1 -}}  x", "x  {{- 1 }}", "{{-1}}", "{{+1}}", "{{ -1 }}", "{{- -1 -}}", "a\n", "a\n\n", "\n", "", "\r\n", "a\r\nb\rc\n", "a\r",
    "x {%- set a = 1 -%}\r\n y", "x\r\n{%- if 1 %}\r\ny\r\n{%- endif %}\r\n", "{# c #}x", "x {#- c -#} y", "x {#+ c +#} y", "{#", "{# x", "{#-", "{#-#}a", "{##}a", "{# {{ x }} #}", "{# {# #} #}", "{% raw %}{{ x }}{% endraw %}", "{%raw%} a {%endraw%}", "a {%- raw -%} b {%- endraw -%} c",
    "{% raw %}", "{% raw %}x", "{% raw +%}x{% endraw %}", "{% raw %}{% endraw", "{% raw x %}{% endraw %}", "{%- raw %} a {% endraw +%} b", "{% endraw %}", "{{", "{{ x", "{{ }}", "{{}}", "{%", "{%%}", "{% %}", "{% if", "{{ n }", "{ { n } }", "{{ n }}}", "{{{ n }}}", "{{ {} }}", "{{ {'a': {}} }}", "{{ {'a': {}}}}",
    "{{ '}}' }}", "{{ '%}' }}", "{% set x = '%}' %}{{ x }}", "{{ \"{{ n }}\" }}", "{{ 'a\nb' }}", "{{ 'a\r\nb'|length }}", "%}", "}}", "#}", "{{ n %}", "{% n }}", "{{ n -}}\n\n  b", "a\u00a0{%- if true %}b{% endif -%}\u2003c", "{{ (n\n+\n1) }}", "{{ n, k }}", "{{ n, }}", "{{ (n) }}", "{{ , }}", "{{ a b }}",
    "{{ n }} {{ s }} {{ l }} {{ d }} {{ nothing }} {{ t }} {{ x }}",
    # if
    "{% if n %}y{% endif %}", "{% if zero %}y{% else %}n{% endif %}", "{% if zero %}a{% elif n %}b{% else %}c{% endif %}", "{% if zero %}a{% elif e %}b{% elif el %}c{% else %}d{% endif %}", "{% if missing %}a{% endif %}", "{% if missing is defined %}a{% else %}b{% endif %}", "{% if n, %}t{% endif %}",
    "{% if n %}", "{% if %}x{% endif %}", "{% endif %}", "{% else %}", "{% if n %}a{% else %}b{% else %}c{% endif %}", "{% if n %}a{% elif %}b{% endif %}", "{% if n %}{% endfor %}", "{% if n if k else 1 %}x{% endif %}", "{% if n: %}x{% endif %}", "{% if (n if zero else 0) %}x{% else %}y{% endif %}",
    "{% if n|nope %}x{% endif %}", "{{ 1|nope }}", "{{ 1 is nope }}", "{{ l|map('nope')|list }}", "{% nope %}", "{% IF n %}{% ENDIF %}",
    # for
    "{% for i in l %}{{ i }},{% endfor %}", "{% for i in [] %}x{% else %}none{% endfor %}", "{% for i in l %}{{ i }}{% else %}none{% endfor %}", "{% for i in missing %}{% endfor %}", "{% for i in 5 %}{% endfor %}", "{% for i in none %}{% endfor %}", "{% for c in s %}{{ c }}.{% endfor %}", "{% for c in u %}{{ c }}.{% endfor %}",
    "{% for k in d %}{{ k }}{% endfor %}", "{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}", "{% for k, v in d|items %}{{ k }}={{ v }};{% endfor %}", "{% for a, b in [(1, 2), [3, 4], 'xy'] %}{{ a }}{{ b }} {% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for a, b in [(1,)] %}{% endfor %}", "{% for a, b in [1] %}{% endfor %}",
    "{% for a, (b, c) in [(1, (2, 3))] %}{{ a }}{{ b }}{{ c }}{% endfor %}", "{% for (a, b) in [(1, 2)] %}{{ a }}{{ b }}{% endfor %}", "{% for a, in [(1,)] %}{{ a }}{% endfor %}", "{% for [a] in l %}{% endfor %}", "{% for 1 in l %}{% endfor %}", "{% for a.b in l %}{% endfor %}", "{% for true in l %}{% endfor %}", "{% for in in l %}{% endfor %}", "{% for i l %}{% endfor %}",
    "{% for i in l if i > 1 %}{{ loop.index }}/{{ loop.length }}:{{ i }} {% endfor %}", "{% for i in l if i > 9 %}x{% else %}none{% endfor %}", "{% for i in l if loop.index > 1 %}{{ i }}{% endfor %}", "{% for a, b in [[1, 2], [3, 4]] if a > 1 %}{{ loop.previtem|d('-') }}{{ a }}{% endfor %}", "{% for a, b in [[1, 2], [3, 4]] if a %}{{ loop.nextitem|d('-') }}{% endfor %}",
    "{% for i in l %}{{ loop.index }} {{ loop.index0 }} {{ loop.revindex }} {{ loop.revindex0 }} {{ loop.first }} {{ loop.last }} {{ loop.length }} {{ loop.depth }} {{ loop.depth0 }}|{% endfor %}", "{% for i in l|map('abs') %}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ i }}|{% endfor %}", "{% for i in l|map('abs') %}{{ loop.length }}{% endfor %}",
    "{% for i in l %}{{ loop.previtem is defined }}{{ loop.nextitem is defined }}{{ loop.previtem|d(0) }}{{ loop.nextitem|d(0) }}|{% endfor %}", "{% for i in l %}{{ loop.previtem }}{% endfor %}", "{% for i in [1, 1, 2, 2, 1] %}{{ loop.changed(i) }} {% endfor %}", "{% for i in [1, 1, 2] %}{{ loop.changed(i, 'x') }}{{ loop.changed() }} {% endfor %}", "{% for i in l %}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{% for i in l %}{{ loop.cycle() }}{% endfor %}", "{% for i in l %}{{ loop.cycle(a=1) }}{% endfor %}", "{% for i in l %}{{ loop.nope is defined }}{{ loop['index'] }}{% endfor %}", "{% for i in l %}{{ loop.nope }}{% endfor %}", "{% for i in l %}{{ loop(l) }}{% endfor %}", "{% for i in l recursive %}{{ loop(l[:0]) }}{{ nope|nope }}{% endfor %}",
    "{% for i in nested %}{% set o = loop %}{% for j in i %}{{ o.index }}.{{ loop.index }} {% endfor %}{% endfor %}", "{% for i in l %}{% for j in l %}{{ loop.index }}{% endfor %}{{ loop.index }}{% endfor %}", "{% for i in l %}{% set loop = 1 %}{% endfor %}", "{% for loop in l %}{% endfor %}", "{% set loop = 1 %}{{ loop }}", "{% for i in l %}{% with loop = 1 %}{{ loop }}{% endwith %}{% endfor %}",
    "{{ loop }}", "{% for i in l %}{% endfor %}{{ i }}", "{% set i = 'o' %}{% for i in l %}{{ i }}{% endfor %}{{ i }}", "{% for i in l %}{% set v = i %}{% endfor %}{{ v }}", "{% set v = 0 %}{% for i in l %}{% set v = v + i %}{{ v }}{% endfor %}{{ v }}", "{% for i in l %}{{ n }}{% set n = i %}{{ n }} {% endfor %}{{ n }}", "{% for i in i %}{% endfor %}", "{% for l in l %}{{ l }}{% endfor %}{{ l }}",
    "{% for i in l %}{% if loop.first %}{% set f = i %}{% endif %}{{ f|d('-') }}{% endfor %}", "{% for i in l, words %}{{ i }}{% endfor %}", "{% for i in range(3) %}{{ i }}{% endfor %}", "{% for i in range(3) if i is odd %}{{ i }}{% else %}x{% endfor %}", "{% set g = l|map('abs') %}{{ g|list }}{{ g|list }}", "{% set g = l|map('abs') %}{{ g|first }}{{ g|list }}{{ g|first is defined }}",
    "{% set g = l|map('abs') %}{% for i in g %}{{ i }}{{ g|list }}{% endfor %}", "{% set g = l|map('abs') %}{% if g %}t{% endif %}{{ 3 in g }}{{ g|list }}", "{% for i in l %}{{ loop.length }}{{ loop.last }}{% endfor %}{% for i in s|reverse %}{{ loop.last }}{% endfor %}", "{% for i in rows|groupby('age') %}{{ i.grouper }}:{{ i.list|map(attribute='name')|join(',') }};{{ i[0] }}{{ i|length }} {% endfor %}",
    "{% for g, r in rows|groupby('city') %}{{ g }}={{ r|length }} {% endfor %}", "{{ rows|groupby('city') }}", "{% for row in words|batch(2, '-') %}{{ row|join('+') }};{% endfor %}", "{% for col in words|slice(2, '-') %}{{ col }};{% endfor %}", "{% for i in l %}{{ i }}{% if not loop.last %}, {% endif %}{% endfor %}",
    # set, with, filter
    "{% set a = 1 %}{{ a }}", "{% set a = 1, 2 %}{{ a }}", "{% set a, b = 1, 2 %}{{ a }}{{ b }}", "{% set (a, b) = [1, 2] %}{{ a }}{{ b }}", "{% set a, b = 1 %}", "{% set a, b = 'xy' %}{{ b }}{{ a }}", "{% set a %}x{{ n }}{% endset %}{{ a }}{{ a|length }}", "{% set a | upper %}x{{ n }}{% endset %}{{ a }}", "{% set a | replace('x', v) %}{% set v = 'y' %}x{% endset %}{{ a }}", "{% set a, b %}xy{% endset %}{{ a }}{{ b }}",
    "{% set a = b %}{{ a is defined }}", "{% set a = missing %}{{ a }}", "{% set n = n + 1 %}{{ n }}", "{{ n }}{% set n = 1 %}{{ n }}", "{% if true %}{% set v = 1 %}{% endif %}{{ v }}", "{% if false %}{% set n = 1 %}{% endif %}{{ n }}", "{% if false %}{% set v = 1 %}{% endif %}{{ v is defined }}", "{% if n %}{% set v = 1 %}{% else %}{% set v = 2 %}{% endif %}{{ v }}", "{% set 1 = 2 %}", "{% set 'a' = 2 %}", "{% set none = 2 %}", "{% set %}", "{% set a = %}", "{% set a.b = 1 %}", "{% set d.a = 1 %}",
    "{% set a = 1 %}{% with a = 2 %}{{ a }}{% endwith %}{{ a }}", "{% with %}{% set v = 1 %}{{ v }}{% endwith %}{{ v is defined }}", "{% with a = 1, b = a %}{{ b }}{% endwith %}", "{% with n = 1, b = n %}{{ n }}{{ b }}{% endwith %}{{ n }}", "{% with a, b = (1, 2) %}{{ a }}{{ b }}{% endwith %}", "{% with a = 1 b = 2 %}{% endwith %}", "{% with a %}{% endwith %}", "{% with a = 1 %}", "{% with a = 1, %}{{ a }}{% endwith %}", "{% with v = 1 %}{% set v = 2 %}{{ v }}{% endwith %}{{ v is defined }}",
    "{% filter upper %}a{{ s }}{% endfilter %}", "{% filter upper|replace('A', 'b') %}a{% endfilter %}", "{% filter indent(2, true) %}a\nb{% endfilter %}", "{% filter length %}abc{% endfilter %}", "{% filter %}{% endfilter %}", "{% filter nope %}{% endfilter %}", "{% filter upper %}", "{% filter list %}ab{% endfilter %}", "{% filter upper %}{% set q = 'x' %}{{ q }}{% endfilter %}{{ q is defined }}", "{% filter replace('a', q) %}{% set q = 'x' %}a{% endfilter %}",
    "{% filter upper %}{% filter lower %}A{% endfilter %}b{% endfilter %}", "{% filter trim %}  {% if n %} x {% endif %} {% endfilter %}|",
    # include
    "{% include 'part' %}", "{% include 'deep' %}", "{% include 'sets' %}{{ s }}", "{% set n = 5 %}{% include 'part' %}", "{% for n in l %}{% include 'part' %}{% endfor %}", "{% with l = 'xy' %}{% include 'part' %}{% endwith %}", "{% include 'missing' ignore missing %}x", "{% include 'part' without context ignore missing %}", "{% include %}", "{% include 'self' %}", "{% include 'part' with context %}", "{% include 'usesq' %}", "{% set q = 1 %}{% include 'usesq' %}", "{% include 'bad' %}",
    "{% include 'static' without context %}", "{% filter upper %}{% include 'static' %}{% endfilter %}", "{% include ['missing', 'static'] ignore missing %}{{ nope|nope }}", "{% for i in l %}{{ loop.index }}{% include 'loops' %}{% endfor %}",
    # not in the language, or not anywhere
    "{% endfor %}", "{% for i in l %}{% endif %}", "{% for i in l %}{% if i %}{% endfor %}{% endif %}", "{% break %}", "{% continue %}", "{% do 1 %}", "{% trans %}{% endtrans %}", "{% debug %}", "{% else if %}", "{% if n %}{% elseif k %}{% endif %}", "{% switch n %}",
]
INCLUDES = {"self": "a{% include 'self' %}", "usesq": "{{ q }}", "bad": "{% if %}", "static": "st\n", "loops": "({{ loop.index }})"}


def expressions():
    yield from (f"({value})|{name}" for value, name in itertools.product(VALUES, FILTERS))
    yield from (f"({value}) is {name}" for value, name in itertools.product(VALUES, TESTS))
    yield from (f"({a}) {op} ({b})" for a, op, b in itertools.product(FEW, ["+", "-", "*", "/", "//", "%", "==", "<", "in", "~", "and", "or"], FEW))
    yield from (f"{a} {op} {b}" for a, op, b in itertools.product(NUMBERS, ["+", "-", "*", "/", "//", "%", "==", "<", ">="], NUMBERS))
    yield from (f"({a}) ** {b}" for a, b in itertools.product(NUMBERS, ["0", "1", "2", "-1", "0.5", "-0.5", "3", "62", "1e3", "true"]))
    yield from (f"'{directive}' % {value}" for directive, value in itertools.product(DIRECTIVES, FORMATTED))
    yield from (f"({value}){part}" for value, part in itertools.product(SLICED, SLICES))
    yield from (f"({value})|round({precision})" for value, precision in itertools.product(ROUNDED, PRECISIONS))
    yield from (f"{value}|{call}" for value, call in itertools.product(INT_TEXTS, INT_CALLS))
    yield from (f"{text}|striptags" for text in HTML)
    for group in (PRINTED, LITERALS, PRECEDENCE, ATTACKS, MARKUP, TEXT_WORK):
        yield from group


def templates():
    yield from TEMPLATES
    yield from (f"{{{{ {expression} }}}}" for expression in PRECEDENCE + PRINTED + MARKUP)
