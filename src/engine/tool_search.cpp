#include "engine/tool_search.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace cadre::engine {

namespace {

constexpr std::size_t kMostSpecs = 64;
constexpr std::size_t kMostSpecBytes = 48 << 10;
constexpr std::size_t kShownDescription = 300;
constexpr std::size_t kShownNames = 40;
/// A word of the name tells more than one of the description.
constexpr int kInName = 6, kBeginsInName = 3, kInDescription = 2, kBeginsInDescription = 1;

using Words = std::set<std::string, std::less<>>;

/// `readFile`, `read_file` and `Read file` are two words each.
Words words_of(std::string_view text)
{
    Words words;
    std::string word;
    const auto end = [&] {
        if (!word.empty()) words.insert(std::exchange(word, {}));
    };
    bool was_small = false;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_large = c >= 'A' && c <= 'Z';
        if ((is_large && was_small) || (byte < 0x80 && !std::isalnum(byte))) end();
        if (byte >= 0x80 || std::isalnum(byte)) word += lower(c);
        was_small = c >= 'a' && c <= 'z';
    }
    end();
    return words;
}

bool begins_in(const Words& words, std::string_view start)
{
    const auto place = words.lower_bound(start);
    return start.size() >= 3 && place != words.end() && place->starts_with(start);
}

struct Searched {
    Words name, description;

    int weight(const std::string& word) const
    {
        if (name.contains(word)) return kInName;
        if (begins_in(name, word)) return kBeginsInName;
        if (description.contains(word)) return kInDescription;
        return begins_in(description, word) ? kBeginsInDescription : 0;
    }
};

}  // namespace

bool are_too_many(const std::vector<llm::ToolSpec>& specs)
{
    std::size_t bytes = 0;
    for (const llm::ToolSpec& spec : specs)
        bytes += spec.name.size() + spec.description.size() + spec.input_schema.size();
    return specs.size() > kMostSpecs || bytes > kMostSpecBytes;
}

std::vector<const llm::ToolSpec*> search(const std::vector<llm::ToolSpec>& specs, std::string_view query,
                                         std::size_t limit)
{
    std::vector<Searched> searched;
    for (const llm::ToolSpec& spec : specs) searched.push_back({words_of(spec.name), words_of(spec.description)});

    // a word that nearly every tool has says nothing: what it weighs is shared among those that have it
    std::vector<std::int64_t> scores(specs.size());
    for (const std::string& word : words_of(query)) {
        std::int64_t having = 0;
        for (const Searched& one : searched) having += one.weight(word) > 0 ? 1 : 0;
        for (std::size_t i = 0; i < specs.size(); ++i)
            if (const int weight = searched[i].weight(word)) scores[i] += weight * 1'000'000 / having + weight;
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < specs.size(); ++i)
        if (scores[i] > 0) order.push_back(i);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        if (scores[a] != scores[b]) return scores[a] > scores[b];
        return specs[a].name < specs[b].name;
    });
    std::vector<const llm::ToolSpec*> found;
    for (const std::size_t i : order)
        if (found.size() < limit) found.push_back(&specs[i]);
    return found;
}

std::string found_text(const std::vector<const llm::ToolSpec*>& found, const std::vector<llm::ToolSpec>& all)
{
    std::string text;
    for (const llm::ToolSpec* spec : found) {
        const std::string_view shown = utf8_prefix(spec->description, kShownDescription);
        text += fmt::format("- {}: {}{}\n", spec->name, shown, shown.size() < spec->description.size() ? "…" : "");
    }
    if (!found.empty()) return text + "These can be called now.";
    text = "Nothing was found. Other words may help; the tools are called";
    for (std::size_t i = 0; i < std::min(all.size(), kShownNames); ++i) text += (i == 0 ? " " : ", ") + all[i].name;
    if (all.size() > kShownNames) text += fmt::format(" and {} more", all.size() - kShownNames);
    return text + ".";
}

}  // namespace cadre::engine
