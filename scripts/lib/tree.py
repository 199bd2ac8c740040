"""The checkout: where it is and which files are ours."""
import functools
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.lru_cache(maxsize=None)
def files():
    """Every file that git tracks or would add, as paths relative to ROOT with forward slashes, sorted."""
    names = git("ls-files", "-z", "-co", "--exclude-standard").split("\0")
    if names == [""]:  # an unpacked archive
        names = list(walk())
    return sorted(name for name in set(names) if (ROOT / name).is_file())


def git(*words):
    """What git says; nothing where it cannot say it, as in an unpacked archive."""
    # safe.directory: reading is harmless even in a checkout that belongs to another user
    command = ["git", "-c", "safe.directory=*", "-C", str(ROOT), *words]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def changed():
    """Files that differ from where this branch began, or, on the main branch itself, from 20 commits ago."""
    bases = (git("merge-base", "HEAD", other).strip() for other in ("@{upstream}", "origin/HEAD", "main"))
    base = next((commit for commit in bases if commit and commit != git("rev-parse", "HEAD").strip()), None)
    base = base or git("rev-parse", "--verify", "--quiet", "HEAD~20").strip()
    if not base:
        return files()  # so young, or so shallow a clone, that all of it is new
    names = git("diff", "--name-only", "-z", base) + git("ls-files", "-z", "-o", "--exclude-standard")
    return sorted(set(names.split("\0")) & set(files()))


def status():
    """What git sees as changed or new, line by line."""
    return set(git("status", "--porcelain", "--untracked-files=all").splitlines())


def walk():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", "node_modules", "__pycache__", ".git")]
        for name in names:
            yield (pathlib.Path(folder) / name).relative_to(ROOT).as_posix()


def select(*endings, under=""):
    return [name for name in files() if name.startswith(under) and name.endswith(endings)]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")
