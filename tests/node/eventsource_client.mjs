// npm's EventSource on a task's stream: what it heard, as one line of JSON, once the stream has said that it is over.
//     eventsource_client.mjs URL TOKEN
import { EventSource } from "eventsource";

const [, , url, token] = process.argv;
const heard = { text: "", ids: [], opened: 0, status: null };
const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
});
source.onopen = () => {
    heard.opened += 1;
    console.error("open");
};
source.onmessage = (message) => {
    const said = JSON.parse(message.data);
    if (said.type === "content_chunk") heard.text += said.text;
    else heard.ids.push(message.lastEventId);
};
source.addEventListener("end", (message) => {
    heard.status = JSON.parse(message.data).status;
    source.close();
    console.log(JSON.stringify(heard));
});
