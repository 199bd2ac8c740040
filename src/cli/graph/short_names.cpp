#include "cli/graph/short_names.hpp"

#include "base/visible.hpp"
#include "cli/char_width.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace cadre::cli {
namespace {

constexpr std::size_t kLeast = 6;

/// Also what is not seen, and for who reads ASCII everything else, is written out: names that look alike differ.
std::string plain_text(const std::string& text, bool utf8)
{
    std::string safe = visible(text);
    if (utf8) return safe;
    std::string ascii;
    std::string_view rest = safe;
    while (!rest.empty()) {
        const std::string_view character = first_character(rest);
        ascii += character.size() == 1 ? character : std::string_view("?");
        rest.remove_prefix(character.size());
    }
    return ascii;
}

std::string cut(std::string_view text, std::size_t most, std::string_view end)
{
    return std::string(fitting(text, most - columns(end))) + std::string(end);
}

}  // namespace

std::vector<std::string> short_names(std::span<const std::string> texts, std::size_t most, bool utf8)
{
    most = std::max(most, kLeast);
    std::vector<std::string> names;
    std::map<std::string, std::set<std::string_view>> meanings;
    for (const std::string& text : texts) {
        std::string name = plain_text(text, utf8);
        if (columns(name) > most) name = cut(name, most, utf8 ? "…" : "..");
        meanings[name].insert(text);
        names.push_back(std::move(name));
    }
    std::map<std::string_view, std::string> numbered;  // the same text is called the same everywhere
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (meanings[names[i]].size() == 1) continue;
        auto& name = numbered[texts[i]];
        if (name.empty()) {
            name = names[i];
            for (std::size_t number = i + 1; meanings.contains(name); number += texts.size()) {
                const std::string end = "~" + std::to_string(number);
                name = cut(names[i], std::max(std::min(most, columns(names[i]) + end.size()), end.size()), end);
            }
            meanings[name].insert(texts[i]);
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const auto found = numbered.find(texts[i]); found != numbered.end()) names[i] = found->second;
    return names;
}

}  // namespace cadre::cli
