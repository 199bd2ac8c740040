"""Prints src/text/template/character_data.cpp or entity_data.cpp: `/usr/bin/python3 make_character_data.py characters|entities`.

The tables are those of the Python that Debian's Jinja runs on, so that letters, spaces and cases are the judge's. template_judge_test.py
asks the judge about every character.
"""
import html.entities
import sys

SPACE, PRINTABLE, WORD, NAME_START, NAME_PART, DIGIT, CASED, IGNORED = (1 << bit for bit in range(8))
CHARACTERS = [chr(point) for point in range(0x110000)]


def properties(c):
    if "\ud800" <= c <= "\udfff":
        return 0
    cased = ("A\u03a3" + c).lower()[1] == "\u03c3"  # what follows decides which small sigma it is
    ignored = not cased and ("A\u03a3" + c + "A").lower()[1] == "\u03c3"
    asked = [(c.isspace(), SPACE), (c.isprintable(), PRINTABLE), (c.isalnum() or c == "_", WORD), (c.isidentifier(), NAME_START),
             (("a" + c).isidentifier(), NAME_PART), (c.isdecimal(), DIGIT), (cased, CASED), (ignored, IGNORED)]
    return sum(bit for answer, bit in asked if answer)


def lines(text, width=116):
    def cut(at):
        while at < len(text) and text[at - 1] == "\\":
            at -= 1
        return at
    start = 0
    while start < len(text):
        end = cut(min(start + width, len(text)))
        yield f'    "{text[start:end]}"'
        start = end


def literal(name, text):
    return f"constexpr std::string_view {name} =\n" + "\n".join(lines(text)) + ";\n"


def classes():
    runs, letters = [], {}
    for c in CHARACTERS:
        what = properties(c)
        letters.setdefault(what, chr(ord("a") + len(letters)))
        if runs and runs[-1][1] == what:
            runs[-1][0] += 1
        else:
            runs.append([1, what])
    text = "".join(f"{count if count > 1 else ''}{letters[what]}" for count, what in runs)
    table = ", ".join(str(what) for what in letters)
    return f"constexpr std::uint8_t kProperties[] = {{{table}}};\n\n" + literal("kRuns", text)


def cases(name):
    """Runs of characters, each `step` behind the last one, that move by the same distance; and those that become several."""
    changed = {ord(c): getattr(c, name)() for c in CHARACTERS if not "\ud800" <= c <= "\udfff" and getattr(c, name)() != c}
    moves = {point: ord(to) - point for point, to in changed.items() if len(to) == 1}
    runs = []
    for point, distance in moves.items():
        last = runs[-1] if runs else None
        gap = point - last[1] if last else 0
        if last and last[3] == distance and gap in (1, 2) and last[2] in (0, gap):
            last[1:3] = point, gap
        else:
            runs.append([point, point, 0, distance])
    rows = [f"{{0x{first:X}, 0x{last:X}, {step or 1}, {distance}}}" for first, last, step, distance in runs]
    several = [(point, to) for point, to in changed.items() if len(to) > 1]
    return rows, several


def wrapped(rows, width=118):
    line = "   "
    for row in rows:
        if len(line) + len(row) + 2 > width:
            yield line
            line = "   "
        line += f" {row},"
    yield line


def characters():
    print('#include "text/template/character_data.hpp"\n')
    print("// Written by tests/conformance/make_character_data.py.\n// clang-format off")
    print("namespace cadre::text::tpl {\nnamespace {\n")
    print(classes())
    found = {name: cases(name) for name in ("upper", "lower", "title")}
    for name, (rows, _) in found.items():
        print(f"constexpr CaseRun k{name.capitalize()}[] = {{\n" + "\n".join(wrapped(rows)) + "\n};\n")
    for name, (_, several) in found.items():
        rows = ['{0x%X, "%s"}' % (point, "".join("\\x%02x" % byte for byte in to.encode())) for point, to in several]
        print(f"constexpr CaseText k{name.capitalize()}Text[] = {{\n" + "\n".join(wrapped(rows)) + "\n};\n")
    print("}  // namespace\n")
    print("const CharacterData& character_data()\n{")
    print("    static constexpr CharacterData data{kProperties, kRuns, {kUpper, kUpperText}, {kLower, kLowerText},")
    print("                                        {kTitle, kTitleText}};\n    return data;\n}\n\n}  // namespace cadre::text::tpl")


def entities():
    print('#include "text/template/entity_data.hpp"\n')
    print("// Written by tests/conformance/make_character_data.py: the named characters of HTML 5, `name` or `name;`, and what each stands for.\n// clang-format off")
    print("namespace cadre::text::tpl {\nnamespace {\n")
    rows = ['{"%s", "%s"}' % (name, "".join("\\x%02x" % byte for byte in to.encode())) for name, to in sorted(html.entities.html5.items())]
    print("constexpr Entity kEntities[] = {\n" + "\n".join(wrapped(rows)) + "\n};\n")
    print("}  // namespace\n")
    print("std::span<const Entity> entities()\n{\n    return kEntities;\n}\n\n}  // namespace cadre::text::tpl")


if __name__ == "__main__":
    {"characters": characters, "entities": entities}[sys.argv[1]]()
