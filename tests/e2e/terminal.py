"""Running on a terminal: a pseudo terminal, somebody who types, and what is then to be seen on the screen."""
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
import unicodedata

from home import CADRE, Home

LIMIT = 60  # seconds


def width_of(character):
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def picture(seen, width):
    """The lines on an endless screen of that width after all that was written: the commands that Cadre uses, and no others."""
    lines, row, column = [""], 0, 0
    for command, text in re.findall(r"\x1b\[([?\d;]*[A-Za-z])|([^\x1b])", seen):
        if text == "\n":
            row += 1
        elif text == "\r":
            column = 0
        elif text:
            if column + width_of(text) > width:
                row, column = row + 1, 0
            while len(lines) <= row:
                lines.append("")
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + 1:]
            column += 1  # by characters: wide ones are only counted where lines break
        elif command[-1] == "A":
            row -= int(command[:-1] or 1)
            assert row >= 0, "above the screen"
        elif command[-1] == "C":
            column += int(command[:-1] or 1)
        elif command == "J":
            lines[row:] = [lines[row][:column]]
        elif command in ("?2004h", "?2004l"):  # bracketed paste
            pass
        else:
            assert command[-1] == "m", f"an unexpected command: {command}"
        while len(lines) <= row:
            lines.append("")
    return [line.rstrip() for line in lines]


class TerminalHome(Home):
    def talk(self, *words, says=(), width=80, height=24, env=None, limit=LIMIT, program=CADRE, chunks=None,
             exact=False):
        """Runs on a terminal; waits for each text of `says` and then types its answer. Returns all that was seen, and the exit code.
        `exact`: the next text may stand right behind the one before, and have come with it."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(program, [program, *map(str, words)], {**self.env, "TERM": "xterm", **(env or {})})
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        seen, todo, end = b"", list(says), time.monotonic() + limit
        answered = 0
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # its other end is closed
                break
            if not piece:
                break
            seen += piece
            if chunks is not None:
                chunks.append((time.monotonic(), piece))
            while todo and todo[0][0].encode() in seen[answered:]:
                answered = seen.index(todo[0][0].encode(), answered) + len(todo[0][0].encode()) if exact else len(seen)
                act = todo.pop(0)[1]
                if callable(act):
                    act(terminal)
                else:
                    os.write(terminal, act.encode())
        os.close(terminal)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        return seen.decode(errors="replace").replace("\r\n", "\n").replace("\n", "\r\n"), status

    def look(self, *words, width=80, **options):
        """The screen at the end, and the exit code."""
        seen, code = self.talk(*words, width=width, **options)
        lines = picture(seen, width)
        while lines and not lines[-1]:
            lines.pop()
        return lines, code
