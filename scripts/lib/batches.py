"""Whether the .cpp files of a room can be compiled as one, in whatever batches (CADRE_UNITY): a new file moves others into other
batches, and then two helpers of one name meet that never met before."""
import concurrent.futures
import pathlib
import re
import subprocess

from lib import build, headers, tree

# What a clash looks like to the compiler: (what it says, how it says where the other one is). What else it says follows from these.
CLASH = (r"redefinition of '|redefinition with different types|reference to '.*' is ambiguous|call to '.*' is ambiguous|"
         r"functions that differ only in their return type|conflicting types for")
OTHER = r"^(\S+?):(\d+):\d+: note: (?:previous definition|previous declaration|candidate)"


def clashes(rooms):
    """(file, line, what is wrong) for every name that two files of a room use for different things."""
    preset = build.chosen().name
    if said := build.configure(preset):
        yield "CMakeLists.txt", 1, f"does not configure. Fix: cmake --preset {preset}\n{said}"
        return
    flags = headers.flags_of_rooms(preset)
    rooms = sorted((room for room in rooms if room in flags), key=lambda room: -len(units(room)))  # the longest first
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for room, said in zip(rooms, pool.map(lambda room: compile_as_one(room, *flags[room]), rooms)):
            yield from problems(room, said)


def units(room):
    """What is compiled in batches: not tests, main() and what the room's CMakeLists.txt wants compiled alone."""
    alone = re.search(r"\bALONE\s+([^)]*)", tree.read(f"src/{room}/CMakeLists.txt"))
    alone = {f"src/{room}/{name}" for name in alone[1].split()} if alone else set()
    return [name for name in tree.select(".cpp", under=f"src/{room}/")
            if not name.endswith(("_test.cpp", "/main.cpp")) and name not in alone]


def compile_as_one(room, folder, command):
    """What the compiler says to all of the room in one file; it makes nothing of it."""
    one = pathlib.Path(folder, "batches", f"{room}.cpp")
    one.parent.mkdir(parents=True, exist_ok=True)
    included = ["precompiled.hpp", *(name.removeprefix("src/") for name in units(room))]
    one.write_text("".join(f'#include "{name}"\n' for name in included))
    compiler = next(i for i, word in enumerate(command) if "clang" in word or "g++" in word)  # without a cache: it keeps no such result
    done = subprocess.run([*command[compiler:], "-w", "-fno-color-diagnostics", "-ferror-limit=0", "-fsyntax-only", one], cwd=folder,
                          text=True, capture_output=True, errors="replace")
    return done.stderr.replace(f"{tree.ROOT}/", "") if done.returncode else ""


def problems(room, said):
    found = [m for m in re.finditer(r"^(\S+?):(\d+):\d+: (?:fatal )?error: (.*)", said, re.M)]
    clear = [m for m in found if re.search(CLASH, m[3])]
    for error in clear or found[:1]:
        note = re.search(OTHER, said[error.end():], re.M)
        other = f" ({note[1]}:{note[2]} has another)" if note and clear else ""
        yield error[1], error[2], (
            f"{error[3]}{other}, when {room} is compiled as one. Fix: share it if it is the same, else give it a name of its own")
    if said and not found:
        yield f"src/{room}/CMakeLists.txt", 1, f"does not compile as one. Fix: read this\n{said[:2000]}"
