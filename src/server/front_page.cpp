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
        say(tasks.length ? "" : "There are no tasks yet.");
    } catch (error) {
        say(token ? error.message : "To see tasks, open the link that was printed when the server started: it has the token.");
    }
}
async function show(id) {
    const task = await ask("tasks/" + id);
    document.getElementById("shown").textContent =
        [task.description, task.error, task.result].filter(Boolean).join("\n\n") + "\n\n" +
        task.ext.questions.map((one) => one.agent_name + " asks: " + (one.context.question ?? one.request_type) +
                                        " (answer with the verb inbox, or POST /tasks/ID/hitl/REQUEST/respond)").join("\n");
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
form{display:flex;gap:.5rem;margin:1rem 0}input{flex:1;font:inherit;padding:.3rem}button{font:inherit}pre{white-space:pre-wrap}</style>
<h1>Cadre</h1><p>Teams of AI agents. <a href="docs">The API</a> · <a href="openapi.json">OpenAPI</a> · <a href="health">Health</a></p>
<form id="new"><input id="words" placeholder="What is to be done?" aria-label="What is to be done?" required><button>Start</button></form>
<p id="said" role="status"></p><table><tbody id="tasks"></tbody></table><pre id="shown"></pre>
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
