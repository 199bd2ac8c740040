"""An MCP server of the oldest kind over HTTP, for tests: events go out on GET /sse, messages come in at the address that the first names."""
import http.server
import json
import queue
import threading

TOOL = {"name": "greet", "description": "Greets.", "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        event = ("endpoint", "/messages")
        while event:
            self.wfile.write("event: {}\ndata: {}\n\n".format(*event).encode())
            self.wfile.flush()
            event = self.server.events.get()

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if "id" in message:
            self.server.asked.append(message["method"])
            answer = {"jsonrpc": "2.0", "id": message["id"], **answer_to(message["method"], message.get("params"))}
            self.server.events.put(("message", json.dumps(answer)))

    def log_message(self, *_):
        pass


def answer_to(method, params):
    if method == "initialize":
        return {"result": {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "old", "version": "1"}}}
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": f"Hello, {params['arguments']['name']}."}]}}
    return {"error": {"code": -32601, "message": "unknown"}}


class SseServer:
    """Its address is `url`; the methods that it was asked are in `asked`."""

    def __init__(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.events = queue.Queue()
        self.asked = self.server.asked = []
        self.url = f"http://127.0.0.1:{self.server.server_port}/sse"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.events.put(None)
        self.server.shutdown()
        self.server.server_close()
