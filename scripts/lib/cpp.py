"""Just enough C++ to look at code without its comments and literals, and at its includes."""
import re

TOKEN = re.compile(r"""
    (?P<comment> //(?:\\\n|[^\n])* | /\*.*?(?:\*/|\Z) )
  | (?P<string>  (?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
               | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
               | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*' )
  | [A-Za-z_]\w* | \d(?:'?[\w.])*      # so that neither the R of FOUR"(" nor the quote of 1'000 starts a literal
""", re.S | re.X)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def strip(text, strings=True):
    """The code with comments, and unless told otherwise strings, as spaces: lines and columns stay where they are."""
    def replace(match):
        hidden = match["comment"] is not None or (strings and match["string"] is not None)
        return blank(match[0]) if hidden else match[0]
    return TOKEN.sub(replace, text)


def comments(text):
    """(line, text without its slashes) of each // comment."""
    for match in TOKEN.finditer(text):
        if match["comment"] and match["comment"].startswith("//"):
            yield line_of(text, match.start()), match["comment"].lstrip("/").strip()


def includes(text):
    """(line, path) of each #include that may be ours: "path", and <path.hpp>, though the system has a net/ too."""
    for match in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+\.hpp)>)', strip(text, strings=False), re.M):
        yield line_of(text, match.start()), match[1] or match[2]


def line_of(text, position):
    return text.count("\n", 0, position) + 1
