"""Links in Markdown files, and the anchors that headings get on GitHub."""
import os
import re
import urllib.parse

LINK = re.compile(r"\]\(\s*(?:<([^>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))(?:\s+[\"'(][^\n]*?)?\s*\)"
                  r"|^ {0,3}\[[^\]^\n]+\]:\s*<?(\S+?)>?(?:\s|$)", re.M)

FENCED = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.M | re.S)


def prose(text):
    """The text with code as spaces, fenced and inline: what looks like a link there is none."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = re.sub(r"<!--.*?-->", spaces, FENCED.sub(spaces, text), flags=re.S)
    return re.sub(r"(?<!`)(`+)(?!`)(?:(?!\n\n).)+?(?<!`)\1(?!`)", spaces, text, flags=re.S)


def links(text):
    """(line, target) of every link and picture."""
    for match in LINK.finditer(prose(text)):
        yield text.count("\n", 0, match.start()) + 1, match[1] or match[2] or match[3] or ""


def slug(heading):
    """As GitHub does it: no markup, no punctuation, lower case, a hyphen for each single space."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    heading = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    text = FENCED.sub("", text)
    found = {}
    for match in re.finditer(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$|^(\S[^\n]*)\n(?:=+|-+)[ \t]*$", text, re.M):
        name = slug(match[1] if match[1] is not None else match[2])
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found) | set(re.findall(r"<a\s+(?:id|name)=[\"']([^\"']+)", text))


def broken(name, text, exists, read):
    """(line, what is wrong) of each relative link that leads nowhere; exists and read answer for paths in the tree."""
    for line, target in links(text):
        if re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.I):
            continue
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        base = "" if path.startswith("/") else os.path.dirname(name)
        file = os.path.normpath(os.path.join(base, path.lstrip("/"))) if path else name
        if file.startswith("..") or not exists(file):
            yield line, f"the link {target} leads to no file"
        elif anchor and file.endswith(".md") and anchor.lower() not in anchors(read(file)):
            yield line, f"the link {target} leads to no heading of {file}"
