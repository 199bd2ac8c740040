"""Configuring and building a preset, with output only where it helps."""
import os
import re
import shutil
import subprocess
import sys

from lib import tree


def folder(preset):
    return tree.ROOT / "build" / preset


def chosen():
    """The folder whose program is used: $CADRE_BUILD, which ./test sets; by hand the one that was built last."""
    if "CADRE_BUILD" in os.environ:
        return tree.ROOT / os.environ["CADRE_BUILD"]
    logs = {folder(preset) / ".ninja_log" for preset in ("release", "dev")}
    built = [log for log in logs if log.exists()]
    return max(built, key=lambda log: log.stat().st_mtime).parent if built else folder("release")


def configure(preset):
    """None, or what CMake said when it failed."""
    made, presets = folder(preset) / "build.ninja", tree.ROOT / "CMakePresets.json"
    if made.exists() and made.stat().st_mtime >= presets.stat().st_mtime:
        return None  # ninja itself notices changed CMake files, but not what a preset says
    return said(["cmake", "--fresh", "--preset", preset])


def build(preset, targets=("all",)):
    """None, or the compiler's complaints; meanwhile, on a terminal, a line says how far ninja is."""
    return said(["cmake", "--build", f"build/{preset}", "--target", *targets], progress=sys.stdout.isatty(),
                CCACHE_STATSLOG=str(cache_log(preset)))


def cache_log(preset):
    """Where ccache writes down what it knew of each unit."""
    return folder(preset) / "ccache.log"


def said(command, progress=False, **environment):
    """None, or what the command said when it failed."""
    lines, width = [], shutil.get_terminal_size().columns - 1
    if progress:
        environment["CLICOLOR_FORCE"] = "1"
    try:
        process = subprocess.Popen(command, cwd=tree.ROOT, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace")
    except FileNotFoundError:
        return f"{command[0]} is not installed. Fix: scripts/setup test\n"
    try:
        for line in process.stdout:
            if not re.match(r"\[\d+/\d+\] ", line):
                lines.append(line)
            elif progress:
                print(f"\r{line.rstrip():.{width}}\x1b[K", end="", flush=True)
    except BaseException:
        process.terminate()
        raise
    print("\r\x1b[K" if progress else "", end="", flush=True)
    if process.wait() == 0:
        return None
    # CMake's news does not help whoever reads an error, nor does the line after FAILED:, the whole compiler command
    text = re.sub(r"^((?:\x1b\[\d+m)?FAILED: .*\n).*\n|^-- .*\n", r"\1", "".join(lines), flags=re.M)
    # seen from the root of the checkout; ccache has the compiler see it from build/PRESET
    return re.sub(r"(?<!/)\.\./\.\./(?=src/|tests/|include/|examples/|bench/)", "", text)


def plain(text):
    """Without colours."""
    return re.sub(r"\x1b\[[\d;]*[mK]", "", text)
