#include "cli/trace_page.hpp"

#include "base/base64.hpp"
#include "base/json_writer.hpp"
#include "base/redact.hpp"
#include "base/sha256.hpp"
#include "cli/task_text.hpp"
#include "cli/trace_text.hpp"
#include "model/wire_name.hpp"

#include <fmt/format.h>

namespace cadre::cli {
namespace {

/// How a content security policy names a piece of code: it and nothing else may run.
std::string source_of(std::string_view code)
{
    const Hash hash = sha256(code);
    return "'sha256-" + to_base64({reinterpret_cast<const char*>(hash.data()), hash.size()}) + "'";
}

/// JSON that can stand in an element of a page: it holds nothing that could end the element.
std::string harmless(std::string_view json)
{
    std::string text;
    for (const char c : json) {
        if (c == '<') text += "\\u003c";
        else if (c == '>') text += "\\u003e";
        else if (c == '&') text += "\\u0026";
        else text += c;
    }
    return text;
}

std::string escaped(std::string_view text)
{
    std::string safe;
    for (const char c : text) {
        switch (c) {
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '&': safe += "&amp;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += c;
        }
    }
    return safe;
}

std::string facts_of(const engine::TaskState& state)
{
    std::string text;
    JsonWriter(text)
        .begin_object()
        .field("id", short_id(state.id))
        .field("status", model::wire_name(state.status))
        .field("prompt", redact(state.spec.description))
        .field("used", usage_text(state))
        .end_object();
    return text;
}

std::string json_of(const std::map<std::string, std::string>& texts)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    for (const auto& [name, one] : texts) json.field(name, one);
    json.end_object();
    return text;
}

}  // namespace

std::string trace_page(const engine::Trace& trace, const engine::TaskState& state, Time now,
                       const std::map<std::string, std::string>& requests)
{
    const std::string policy =
        fmt::format("default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
                    source_of(trace_style()), source_of(trace_script()));
    return fmt::format(R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Task {}: {}</title>
<style>{}</style>
</head>
<body>
<noscript>This page needs JavaScript. The same as text: cadre trace {}</noscript>
<script type="application/json" id="facts">{}</script>
<script type="application/json" id="trace">{}</script>
<script type="application/json" id="requests">{}</script>
<script>{}</script>
</body>
</html>
)",
                       policy, short_id(state.id), escaped(one_line(redact(state.spec.description), 60, true)),
                       trace_style(), short_id(state.id), harmless(facts_of(state)), harmless(trace_json(trace, now)),
                       harmless(json_of(requests)), trace_script());
}

}  // namespace cadre::cli
