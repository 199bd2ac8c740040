#include "server/docs_page.hpp"

#include "base/ascii.hpp"
#include "model/describe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cadre::server {
namespace {

constexpr std::string_view kDocsHead = R"(<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>Cadre API</title><style>
:root{color-scheme:light dark;--line:#8884;--dim:#777}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin:0}h2{font-size:1rem;margin:2rem 0 .3rem;border-bottom:1px solid var(--line)}
details{border-bottom:1px solid var(--line);padding:.35rem 0}summary{cursor:pointer}
code{font:13px ui-monospace,monospace}.m{display:inline-block;width:4.2rem;font-weight:600}
.d{color:var(--dim)}table{border-collapse:collapse;margin:.4rem 0 .4rem 1rem}td,th{text-align:left;padding:.1rem .8rem .1rem 0;vertical-align:top}
th{font-weight:600;color:var(--dim)}a{color:inherit}
</style>)";

/// The first word of its path.
std::string group_of(const Route& route)
{
    const std::string_view path = route.path.substr(1);
    const std::string_view first = path.substr(0, path.find_first_of("/."));
    return first.empty() ? "server" : std::string(first);
}

/// With what stands in backticks as code.
std::string doc_text(std::string_view text)
{
    std::string out = html_text(text);
    for (bool opens = true; out.find('`') != std::string::npos; opens = !opens)
        out.replace(out.find('`'), 1, opens ? "<code>" : "</code>");
    return out;
}

void add_fields(std::string& out, std::string_view title, const model::Entity* entity)
{
    if (!entity || entity->fields.empty()) return;
    out += fmt::format("<table><tr><th colspan=3>{} <code>{}</code></th></tr>", title, html_text(entity->name));
    for (const model::Field& field : entity->fields)
        out += fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>", html_text(field.name),
                           field.rule.required ? "required" : "", doc_text(field.doc));
    out += "</table>";
}

void add_route(std::string& out, const Route& route)
{
    out += fmt::format(
        "<details id=\"{}\"><summary><span class=m>{}</span><code>{}</code> <span class=d>{}</span></summary>",
        route.name, name_of(route.method), html_text(route.path), doc_text(route.doc));
    out += fmt::format("<p class=d>{} · answers {} · rate <code>{}</code></p>",
                       route.act ? fmt::format("needs the right to <code>{}</code>", engine::name_of(*route.act))
                                 : std::string("open to everybody"),
                       route.success, name_of(route.rate));
    add_fields(out, "Query", route.query);
    add_fields(out, "Body", route.request);
    add_fields(out, "Answer", route.response);
    if (!route.faults.empty()) {
        out += "<table><tr><th colspan=3>Refusals of its own</th></tr>";
        for (const Fault& fault : route.faults)
            out += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td>{}</td></tr>", fault.status,
                               html_text(fault.reason), doc_text(fault.doc));
        out += "</table>";
    }
    out += "</details>";
}

}  // namespace

std::string html_text(std::string_view text)
{
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

std::string docs_page(std::span<const Route> routes, std::string_view version)
{
    std::string out(kDocsHead);
    out += fmt::format("<h1>Cadre API</h1><p class=d>version {} · <a href=\"openapi.json\">OpenAPI</a> · send "
                       "<code>Authorization: Bearer TOKEN</code>; errors are <code>application/problem+json</code></p>",
                       html_text(version));
    std::vector<std::string> groups;
    for (const Route& route : routes)
        if (const std::string group = group_of(route); std::ranges::find(groups, group) == groups.end())
            groups.push_back(group);
    for (const std::string& group : groups) {
        out += fmt::format("<h2>{}</h2>", html_text(group));
        for (const Route& route : routes)
            if (group_of(route) == group) add_route(out, route);
    }
    return out + "</html>\n";
}

}  // namespace cadre::server
