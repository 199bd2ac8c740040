"""Configuring and building a preset, with output only where it helps."""
import os
import re
import shutil
import subprocess
import sys

from lib import tree


def folder(preset):
    return tree.ROOT / "build" / preset


def configure(preset):
    """None, or what CMake said when it failed."""
    if (folder(preset) / "build.ninja").exists():
        return None  # ninja itself notices changed CMake files
    return said(["cmake", "--preset", preset])


def build(preset, targets=("all",), show=True):
    """None, or the compiler's complaints; meanwhile, when shown on a terminal, a line says how far ninja is."""
    command = ["cmake", "--build", f"build/{preset}", "--target", *targets, "--"]
    return said(command + ([] if show else ["-k0"]), progress=show and sys.stdout.isatty())


def said(command, progress=False):
    """None, or what the command said when it failed."""
    lines, width = [], shutil.get_terminal_size().columns - 1
    colours = {"CLICOLOR_FORCE": "1"} if progress else {}
    try:
        process = subprocess.Popen(command, cwd=tree.ROOT, env={**os.environ, **colours}, stdout=subprocess.PIPE,
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
    # CMake's news help nobody who reads an error, nor does the line after FAILED:, the whole compiler command
    text = re.sub(r"^((?:\x1b\[\d+m)?FAILED: .*\n).*\n|^-- .*\n", r"\1", "".join(lines), flags=re.M)
    # seen from the root of the checkout; ccache has the compiler see it from build/PRESET
    return re.sub(r"(?<!/)\.\./\.\./(?=src/|tests/|include/|examples/)", "", text)


def plain(text):
    """Without colours."""
    return re.sub(r"\x1b\[[\d;]*[mK]", "", text)
