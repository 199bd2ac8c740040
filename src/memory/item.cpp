#include "memory/item.hpp"

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/utf8.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"
#include "text/fold.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cadre::memory {

using model::field;

std::span<const model::EnumName> names_of(const Change*)
{
    static constexpr model::EnumName names[] = {
        {int(Change::created), "created"}, {int(Change::merged), "merged"}, {int(Change::conflict), "conflict"}};
    return names;
}

const model::Entity& describe(const Source*)
{
    static const model::Entity entity{
        "memory_source",
        "Who said something that is remembered, and when.",
        {field("task", &Source::task, "The task; empty: a person, by hand."),
         field("step", &Source::step, "Where in its journal."), field("agent", &Source::agent, "Who in the task."),
         field("by", &Source::by, "The person, where it was one."), field("at", &Source::at, "When."),
         field("change", &Source::change, "Whether it was new then.")}};
    return entity;
}

const model::Entity& describe(const Item*)
{
    static const model::Entity entity{
        "memory_item",
        "Something that is remembered.",
        {field("id", &Item::id, "Of the item.", {.required = true}),
         field("type", &Item::type, "What kind of memory.", {.required = true}),
         field("scope", &Item::scope, "Whose memory it is.", {.required = true}),
         field("text", &Item::text, "What is known.", {.required = true}),
         field("tags", &Item::tags, "Words to find it by."),
         field("importance", &Item::importance, "0 to 1: the least important are forgotten first.",
               {.min = 0, .max = 1}),
         field("sources", &Item::sources, "Who said it."), field("told", &Item::told, "How often it was said."),
         field("supersedes", &Item::supersedes, "Items that it sums up."),
         field("conflicts", &Item::conflicts, "Items that say something else of the same."),
         field("consolidated_into", &Item::consolidated_into, "The summary that has it; empty: none."),
         field("created_at", &Item::created_at, "When it was first said."),
         field("updated_at", &Item::updated_at, "When it was last said or changed."),
         field("expires_at", &Item::expires_at, "From then on it is forgotten; null: never.")}};
    return entity;
}

std::string normalised(std::string_view text)
{
    std::string plain;
    for (const char c : text::fold(text).text) {
        const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_blank) plain += c;
        else if (!plain.empty() && plain.back() != ' ') plain += ' ';
    }
    while (!plain.empty() && std::string_view(" .!").find(plain.back()) != std::string_view::npos) plain.pop_back();
    return plain;
}

std::string id_of(const Scope& scope, model::MemoryType type, std::string_view text)
{
    Sha256 hash;
    hash.add(key_of(scope)).add(model::wire_name(type)).add("\n").add(normalised(text));
    return "mem_" + to_hex(hash.finish()).substr(0, 16);
}

std::string key_of(const Item& item)
{
    return key_of(item.scope) + item.id;
}

void expect_keepable(std::string_view text, const std::vector<std::string>& tags, double importance)
{
    if (text.size() > kMostText)
        throw Error(Code::too_large,
                    fmt::format("a text of {} bytes is too long to be remembered: {} bytes at most; remember what "
                                "matters of it, or keep it in a file",
                                text.size(), kMostText));
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = utf8_length(rest);
        if (length == 0) throw Error(Code::invalid, "a text that is not UTF-8 cannot be remembered");
        rest.remove_prefix(length);
    }
    if (normalised(text).empty()) throw Error(Code::invalid, "there is no text to remember");
    if (tags.size() > kMostTags)
        throw Error(Code::invalid, fmt::format("{} tags are too many: {} at most", tags.size(), kMostTags));
    if (std::ranges::any_of(tags, [](const std::string& tag) { return tag.empty() || tag.size() > kMostTagLetters; }))
        throw Error(Code::invalid, fmt::format("a tag has 1 to {} bytes", kMostTagLetters));
    if (!(importance >= 0 && importance <= 1)) throw Error(Code::invalid, "importance is a number from 0 to 1");
}

void add_source(Item& item, Source source)
{
    ++item.told;
    // the first ones say where it comes from, the last ones how fresh it is
    if (item.sources.size() == kMostSources) item.sources.erase(item.sources.begin() + kMostSources / 2);
    item.sources.push_back(std::move(source));
}

}  // namespace cadre::memory
