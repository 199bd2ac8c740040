#include "config/place.hpp"

#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::config {

namespace {

constexpr std::size_t kStride = 256;
/// Problems cut long names here; see model/read.cpp.
constexpr std::size_t kCut = 77;

bool starts_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool same_start(std::string_view text, std::string_view start)
{
    return text.size() >= start.size() &&
           std::equal(start.begin(), start.end(), text.begin(), [](char a, char b) { return lower(a) == lower(b); });
}

/// How much of `path` is the name `key`; 0 when it is another name.
std::size_t match(std::string_view path, std::string_view key)
{
    if (path.size() >= kCut && key.size() > path.size() && key.starts_with(path)) return path.size();
    if (!same_start(path, key)) return 0;
    const bool ends = path.size() == key.size() || path[key.size()] == '.' || path[key.size()] == '[';
    return ends ? key.size() : 0;
}

}  // namespace

Found find(const json::value& value, const Place& place, std::string_view path)
{
    if (path.starts_with('.')) path.remove_prefix(1);
    if (path.empty()) return {&place, &value, true};
    if (const auto* array = value.if_array(); array && path.starts_with('[')) {
        const std::size_t end = path.find(']');
        std::size_t index = 0;
        for (const char c : path.substr(1, end - 1)) index = index * 10 + static_cast<std::size_t>(c - '0');
        if (end == path.npos || index >= place.items.size()) return {&place, &value, false};
        return find((*array)[index], place.items[index], path.substr(end + 1));
    }
    const auto* object = value.if_object();
    if (!object) return {&place, &value, false};
    std::size_t best = 0, best_length = 0, i = 0;
    for (const auto& member : *object) {
        const std::size_t length = match(path, member.key());
        if (length > best_length) best = i, best_length = length;
        ++i;
    }
    if (best_length == 0 || best >= place.items.size()) return {&place, &value, false};
    return find((object->begin() + static_cast<std::ptrdiff_t>(best))->value(), place.items[best],
                path.substr(best_length));
}

Positions::Positions(std::string_view text) : text_(text), line_starts_{0}
{
    std::size_t characters = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i % kStride == 0) characters_.push_back(characters);
        if (starts_character(text[i])) ++characters;
        if (text[i] == '\n') line_starts_.push_back(i + 1);
    }
    characters_.push_back(characters);
}

std::size_t Positions::characters_before(std::size_t offset) const
{
    const std::size_t block = std::min(offset / kStride, (text_.size() + kStride - 1) / kStride);
    const std::size_t from = block * kStride;
    if (from >= offset) return characters_[block];
    return characters_[block] +
           static_cast<std::size_t>(std::ranges::count_if(text_.substr(from, offset - from), starts_character));
}

Position Positions::at(std::size_t offset) const
{
    offset = std::min(offset, text_.size());
    const auto line = std::ranges::upper_bound(line_starts_, offset) - 1;
    return {static_cast<std::size_t>(line - line_starts_.begin()) + 1,
            characters_before(offset) - characters_before(*line) + 1};
}

}  // namespace cadre::config
