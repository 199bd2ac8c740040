"""The checkout: where it is and which files are ours."""
import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.lru_cache(maxsize=None)
def files():
    """Every file that git tracks or would add, as paths relative to ROOT with forward slashes, sorted."""
    # safe.directory: reading names is harmless even in a checkout that belongs to another user
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        names = subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked archive
        names = list(walk())
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def walk():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", "node_modules", "__pycache__", ".git")]
        for name in names:
            yield (pathlib.Path(folder) / name).relative_to(ROOT).as_posix()


def select(*endings, under=""):
    return [name for name in files() if name.startswith(under) and name.endswith(endings)]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")
