#include "server/front_page.hpp"

#include "base/base64.hpp"
#include "base/sha256.hpp"

#include <string_view>

namespace cadre::server {
namespace {

/// The token comes behind the `#` of the link, which browsers do not send; it is kept as long as the tab. What tasks say is only ever text.
constexpr std::string_view kScript = R"JS(
const token = location.hash.slice(1) || sessionStorage.getItem("token") || "";
if (token) { sessionStorage.setItem("token", token); history.replaceState(null, "", location.pathname); }
const say = (text) => { document.getElementById("said").textContent = text; };
async function ask(path, options = {}) {
    const headers = { "Content-Type": "application/json" };
    if (token) headers.Authorization = "Bearer " + token;
    const answer = await fetch(path, { ...options, headers });
    const body = await answer.json();
    if (!answer.ok) throw new Error(body.detail);
    return body;
}
function cell(row, text) { const one = document.createElement("td"); one.textContent = text; row.append(one); }
async function refresh() {
    try {
        const { tasks } = await ask("tasks?limit=50");
        const rows = tasks.map((task) => {
            const row = document.createElement("tr");
            for (const text of [task.id.slice(0, 8), task.status, task.assigned_agent, task.title]) cell(row, text);
            row.onclick = () => show(task.id);
            return row;
        });
        document.getElementById("tasks").replaceChildren(...rows);
        if (open) await show(open);
        say(tasks.length ? "" : "There are no tasks yet.");
    } catch (error) {
        say(token ? error.message : "To see tasks, open the link that was printed when the server started: it has the token.");
    }
}
let open = "", shown = "";
async function show(id) {
    open = id;
    const task = await ask("tasks/" + id);
    const text = [task.description, task.error, task.result].filter(Boolean).join("\n\n");
    const now = JSON.stringify([id, text, task.ext.questions.map((one) => one.request_id)]);
    if (now === shown) return;  // what is being typed stays
    shown = now;
    document.getElementById("shown").textContent = text;
    document.getElementById("questions").replaceChildren(...task.ext.questions.map((one) => question(id, one)));
}
function question(task, one) {
    const form = document.createElement("form"), label = document.createElement("label"), words = document.createElement("input");
    label.textContent = one.agent_name + " asks: " + (one.context.question ?? one.request_type + " " + JSON.stringify(one.context));
    words.setAttribute("aria-label", "Your answer");
    form.append(label, words);
    for (const [name, type] of [["Answer", "approved"], ["Reject", "rejected"]]) {
        const button = document.createElement("button");
        button.textContent = name;
        button.value = type;
        form.append(button);
    }
    form.onsubmit = async (event) => {
        event.preventDefault();
        const answer = { response_type: event.submitter.value };
        if (words.value) answer.message = words.value;
        try {
            await ask("tasks/" + task + "/hitl/" + one.request_id + "/respond", { method: "POST", body: JSON.stringify(answer) });
            await refresh();
        } catch (error) {
            say(error.message);
        }
    };
    return form;
}
document.getElementById("new").onsubmit = async (event) => {
    event.preventDefault();
    const field = document.getElementById("words");
    try {
        const task = await ask("tasks", { method: "POST", body: JSON.stringify({ description: field.value, start: true }) });
        field.value = "";
        await refresh();
        await show(task.id);
    } catch (error) {
        say(error.message);
    }
};
refresh();
setInterval(refresh, 2000);
)JS";

constexpr std::string_view kPageBefore = R"HTML(<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Cadre</title>
<style>:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td{padding:.2rem .6rem .2rem 0;border-top:1px solid #8884}tr{cursor:pointer}
form{display:flex;flex-wrap:wrap;gap:.5rem;margin:1rem 0}label{flex-basis:100%}input{flex:1;font:inherit;padding:.3rem}button{font:inherit}pre{white-space:pre-wrap}</style>
<h1>Cadre</h1><p>Teams of AI agents. <a href="docs">The API</a> · <a href="openapi.json">OpenAPI</a> · <a href="health">Health</a></p>
<form id="new"><input id="words" placeholder="What is to be done?" aria-label="What is to be done?" required><button>Start</button></form>
<p id="said" role="status"></p><table><tbody id="tasks"></tbody></table><pre id="shown"></pre><div id="questions"></div>
<script>)HTML";

}  // namespace

FrontPage front_page_for(const std::string& version)
{
    const Hash hash = sha256(kScript);
    const std::string bytes(hash.begin(), hash.end());
    return {.text = std::string(kPageBefore) + std::string(kScript) + "</script><footer>cadre " + version +
                    "</footer></html>\n",
            .policy = "default-src 'none'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
                      "form-action 'none'; frame-ancestors 'none'; script-src 'sha256-" +
                      to_base64(bytes) + "'"};
}

}  // namespace cadre::server
