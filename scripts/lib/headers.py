"""Whether headers compile alone: as the only #include of a file, with the flags of their room and nothing precompiled."""
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess

from lib import build, tree


def broken(names):
    """(file, line, what is wrong) for each header that does not."""
    if not names:
        return
    preset = build.chosen().name
    if said := build.configure(preset):
        yield "CMakeLists.txt", 1, f"does not configure. Fix: cmake --preset {preset}\n{said}"
        return
    flags = flags_of_rooms(preset)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, said in zip(names, pool.map(lambda name: compile_alone(name, flags), names)):
            if said:
                error = re.search(rf"{re.escape(name)}:(\d+):\d+: .*?error: (.*)", said) or \
                    re.search(r"()error: (.*)", said)
                what = f": {error[2]}" if error else ""
                yield name, error[1] or 1 if error else 1, f"does not compile alone{what}. Fix: include what it uses"


def flags_of_rooms(preset):
    """{room: (folder, the compiler and its flags)}; a room's units are all compiled alike."""
    rooms = {}
    launcher = (build.folder(preset) / "compiler_launcher").read_text().split(";")
    for entry in json.loads((build.folder(preset) / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        room = re.match(r"src/(\w+)/CMakeFiles/cadre_\1\.dir/", words[words.index("-o") + 1])
        if room:
            rooms.setdefault(room[1], (entry["directory"], [*filter(None, launcher), *without_files(words)]))
    return rooms


def without_files(words):
    """Without what is compiled, where to, and what is precompiled."""
    kept, words = [], iter(words)
    for word in words:
        if word in ("-o", "-c", "-include-pch"):
            next(words)
        else:
            kept.append(word)
    return kept


def compile_alone(name, flags):
    """None, or what the compiler said."""
    where, _, path = name.partition("/")
    room = path.split("/")[0] if where == "src" else "library" if "library" in flags else "base"  # include/ is its face
    if room not in flags:
        return f"{name}:1:1: error: its room {room} compiles nothing"
    folder, command = flags[room]
    alone = pathlib.Path(folder, "headers", path).with_suffix(".cpp")
    alone.parent.mkdir(parents=True, exist_ok=True)
    alone.write_text(f'#include "{path}"\n')
    # an object that is thrown away, because the compiler cache knows no other result; not optimised: there is nothing in it
    done = subprocess.run([*command, "-O0", "-fno-color-diagnostics", "-c", alone, "-o", alone.with_suffix(".o")], cwd=folder,
                          text=True, capture_output=True, errors="replace")
    return done.stderr if done.returncode else None
