"""bad_server.py HOW FOLDER [LATER]: an MCP server that behaves badly, for tests. Its tool `good` always answers; `bad` and, in some
ways, the list of tools are as bad as HOW says. Its pid and those of all it starts are appended to FOLDER/pids; when there is one
already it is bad in the way LATER, if that is given."""
import json
import os
import signal
import subprocess
import sys
import threading

OUT = os.fdopen(os.dup(1), "wb", buffering=0)
LOCK = threading.Lock()


def say(message):
    with LOCK:
        OUT.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")


def answer(number, result):
    say({"jsonrpc": "2.0", "id": number, "result": result})


def text(number, words="well"):
    answer(number, {"content": [{"type": "text", "text": words}]})


def settle():
    """Asks the client something, and waits for the answer: what it said before has come by then."""
    say({"jsonrpc": "2.0", "id": "settle", "method": "ping"})
    PONG.acquire()


def note(file, word):
    with LOCK, open(os.path.join(FOLDER, file), "a") as out:
        out.write(f"{word}\n")


# ---- ways of answering `bad` ----

def busy(number):
    """Answers when as many calls are under way as $AT_ONCE says, and, at the end, as are left of five; and when it has heard all that
    the client had to say until then."""
    note("log", "+")
    with LOCK:
        UNDER_WAY.append(number)
        is_last = len(UNDER_WAY) == min(int(os.environ["AT_ONCE"]), 5 - len(ANSWERED))
    if not is_last:
        return
    settle()
    with LOCK:
        batch, UNDER_WAY[:] = UNDER_WAY[:], []
        ANSWERED.extend(batch)
    for _ in batch:
        note("log", "-")
    for one in batch:
        text(one)


def wrong_ids(number):
    for other in (number + 1000, str(number), None, -number, 1.5, [number], {"id": number}):
        text(other, "not yours")


def twice(number):
    text(number)
    text(number, "again")
    say({"jsonrpc": "2.0", "id": number, "error": {"code": -32603, "message": "and no"}})


def late(number):
    LATE.append(number)


def noise(number):
    for line in (b"Listening on port 5\n", b"\n", b"\xff\xfe\x00\n", b"[]\n", b"7\n", b'"text"\n', b'{"jsonrpc":"2.0"\n', b"[" * 9999 + b"\n",
                 b'{"jsonrpc":"1.0","id":1,"result":{}}\n', b'{"jsonrpc":"2.0","method":"notifications/unheard","params":{}}\n',
                 b'{"jsonrpc":"2.0","id":"q","method":"what/is/this"}\n'):
        say(line)
    text(number)


def long_line(number):
    piece = b"x" * (1 << 20)
    say(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % number)
    for _ in range(64):
        say(piece)
    say(b'"}]}}\n')


def endless_line(number):
    while True:
        say(b"x" * (1 << 16))


def nonsense(number):
    answer(number, [1, 2])


def no_content(number):
    answer(number, {"content": 5})


def half(number):
    say(b'{"jsonrpc":"2.0","id":%d,"res' % number)
    os._exit(0)


def flood(number):
    for i in range(20_000):
        say({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "error", "data": "x" * 200}})
    text(number)


def progress_for_ever(number):
    while True:
        say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": number, "progress": 1}})
        settle()


def closed_output(number):
    OUT.close()
    os.close(1)


def children(number):
    """A zombie, a child in our group, one in a session of its own whose parent is gone."""
    if os.fork() == 0:
        os._exit(0)
    note("pids", subprocess.Popen(["sleep", "600"]).pid)
    middle = os.fork()
    if middle == 0:
        os.setsid()
        note("pids", subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)
        os._exit(0)
    os.waitpid(middle, 0)
    text(number)


# ---- ways of listing tools ----

def tool(name, schema=None):
    return {"name": name, "description": "x", "inputSchema": schema or {"type": "object"}}


def bombs():
    double = {f"d{i}": {"allOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(40)}
    nested = {"type": "object"}
    for _ in range(25):
        nested = {"type": "object", "properties": {"a": nested}}
    return [tool("bad", {"type": "object", "$defs": {**double, "d40": {"type": "object"}}, "$ref": "#/$defs/d0"}),
            tool("recursive", {"$ref": "#"}), tool("far", {"$ref": "http://127.0.0.1:9/schema"}), tool("wide", {"enum": ["x" * 300_000]}),
            tool("slow", {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}), tool("nested", nested), tool("good"), tool("good")]


def lists(number, cursor):
    if HOW == "same_page":
        return answer(number, {"tools": [tool("good")], "nextCursor": "again"})
    if HOW == "endless_pages":
        return answer(number, {"tools": [tool(f"good{cursor}")], "nextCursor": str(int(cursor or 0) + 1)})
    if HOW == "bottomless":
        return say(b'{"jsonrpc":"2.0","id":%d,"result":{"tools":%s}}\n' % (number, b"[" * 100_000 + b"]" * 100_000))
    if HOW == "no_list":
        return answer(number, {"tools": 5})
    answer(number, {"tools": bombs() if HOW == "bombs" else [tool("good"), tool("bad")]})


def take(message):
    number, method, params = message.get("id"), message.get("method"), message.get("params") or {}
    if number == "settle":
        return PONG.release()
    if method == "initialize":
        if HOW == "mute":
            return
        return answer(number, {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "bad", "version": "1"}})
    if method == "tools/list":
        return lists(number, params.get("cursor"))
    if method == "tools/call" and params["name"] == "bad" and HOW in globals():
        return threading.Thread(target=globals()[HOW], args=(number,), daemon=True).start()
    if method == "tools/call":
        while LATE:
            text(LATE.pop(), "late")
        return text(number)
    if method and number is not None:
        say({"jsonrpc": "2.0", "id": number, "error": {"code": -32601, "message": "unknown"}})


HOW, FOLDER = sys.argv[1:3]
LATE, UNDER_WAY, ANSWERED = [], [], []
PONG = threading.Semaphore(0)
if os.path.exists(os.path.join(FOLDER, "pids")) and len(sys.argv) > 3:
    HOW = sys.argv[3]
note("pids", os.getpid())
if HOW == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
for line in sys.stdin:
    take(json.loads(line))
while HOW == "stubborn":
    signal.pause()
