#include "llm/script_file.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"
#include "config/document.hpp"
#include "config/read_into.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>

namespace cadre::llm {

namespace {

/// Where each character of `text` begins, and its end.
std::vector<std::size_t> character_starts(std::string_view text)
{
    std::vector<std::size_t> starts;
    std::size_t offset = 0;
    for (; offset < text.size(); offset += std::max<std::size_t>(1, utf8_length(text.substr(offset))))
        starts.push_back(offset);
    starts.push_back(text.size());
    return starts;
}

/// In pieces of nearly the same number of characters; a text of fewer characters has fewer pieces.
std::vector<std::string> divided(const std::string& text, std::size_t count)
{
    const auto starts = character_starts(text);
    const std::size_t characters = starts.size() - 1;
    count = std::min(count, characters);
    std::vector<std::string> pieces;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = starts[i * characters / count], to = starts[(i + 1) * characters / count];
        pieces.push_back(text.substr(from, to - from));
    }
    return pieces;
}

/// Only the first `characters` of them all.
void cut(std::vector<std::string>& pieces, std::size_t characters)
{
    std::vector<std::string> kept;
    for (std::string& piece : pieces) {
        const auto starts = character_starts(piece);
        const std::size_t count = std::min(characters, starts.size() - 1);
        if (count > 0) kept.push_back(piece.substr(0, starts[count]));
        characters -= count;
    }
    pieces = std::move(kept);
}

ScriptLine ready(ScriptEntry entry, std::size_t line)
{
    ScriptLine out{.line = line};
    if (const std::int64_t* count = entry.times.if_int64()) out.times = *count;
    if (entry.text) out.text = *entry.text;
    if (entry.json) out.text = to_text(*entry.json);
    if (const auto* list = entry.chunks.if_array()) {
        for (const json::value& piece : *list) out.pieces.emplace_back(piece.as_string());
        out.text.clear();
        for (const std::string& piece : out.pieces) out.text += piece;
    } else {
        const std::int64_t* count = entry.chunks.if_int64();
        out.pieces = divided(out.text, count ? static_cast<std::size_t>(*count) : 1);
    }
    if (entry.truncate_after) cut(out.pieces, static_cast<std::size_t>(*entry.truncate_after));
    out.entry = std::move(entry);
    return out;
}

}  // namespace

std::vector<ScriptLine> read_script(std::string_view text, const std::string& name)
{
    config::Findings findings;
    auto document = config::load(name, text, findings);
    if (!document) throw Error(Code::malformed, findings.text());
    const Code code = findings.errors() > 0 ? Code::malformed : Code::invalid;

    std::vector<ScriptLine> lines;
    if (auto* list = document->value.if_array()) {
        for (std::size_t i = 0; i < list->size(); ++i) {
            const model::PathSteps at{i};
            ScriptEntry entry;
            if (config::read_into((*list)[i], *document, &entry, describe(&entry), findings, at))
                lines.push_back(ready(std::move(entry), document->value_at(at).line));
        }
    } else {
        config::report(model::PathSteps(), "must be a list of entries, each beginning with `- `", *document, findings);
    }
    findings.sort();
    if (findings.errors() > 0) throw Error(code, findings.text());
    return lines;
}

}  // namespace cadre::llm
