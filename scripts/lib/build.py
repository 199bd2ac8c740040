"""Configuring and building a preset, with output only where it helps."""
import re
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
    """None, or the compiler's complaints. Shown on a terminal, ninja has its progress line and complains there."""
    command = ["cmake", "--build", f"build/{preset}", "--target", *targets, "--"]
    if show and sys.stdout.isatty():
        return "see above" if subprocess.run(command, cwd=tree.ROOT).returncode else None
    return said(command + ["--quiet"] + ([] if show else ["-k0"]))


def said(command):
    done = subprocess.run(command, cwd=tree.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace")
    if done.returncode == 0:
        return None
    # CMake's news help nobody who reads an error, nor does the line after FAILED:, the whole compiler command
    text = re.sub(r"^(FAILED: .*\n).*\n|^-- .*\n", r"\1", done.stdout, flags=re.M)
    # seen from the root of the checkout; ccache has the compiler see it from build/PRESET
    return re.sub(r"(?<![\w./])\.\./\.\./(?=src/|tests/|include/|examples/)", "", text)
