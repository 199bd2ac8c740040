// npm's WebSocket client on streams of a task: says "open" once all of them are, then, when all are over, what each has heard, as a line of JSON.
//     stream_follower.mjs URL TOKEN PATH…
import WebSocket from "ws";

const [, , url, token, ...paths] = process.argv;
const bearer = "bearer." + Buffer.from(token).toString("base64url");
let open = 0;

const heard = await Promise.all(
    paths.map(
        (path) =>
            new Promise((done, fail) => {
                const socket = new WebSocket(url.replace("http", "ws") + path, ["cadre.v1", bearer]);
                const messages = [];
                socket.on("open", () => {
                    open += 1;
                    if (open === paths.length) console.log("open");
                });
                socket.on("message", (data) => messages.push({ at: Date.now(), value: JSON.parse(data) }));
                socket.on("error", fail);
                socket.on("close", (code) => done({ code, messages }));
            }),
    ),
);
console.log(JSON.stringify(Object.fromEntries(paths.map((path, i) => [path, heard[i]]))));
