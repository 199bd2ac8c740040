#include "config/place.hpp"

#include "base/ascii.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::config {

namespace {

constexpr std::size_t kStride = 256;

bool starts_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
}

/// The member's place in its object; the object's size when there is none of that name.
std::size_t index_of(const json::object& object, std::string_view name)
{
    auto found = object.find(name);
    if (found == object.end())
        found = std::ranges::find_if(object, [&](const auto& member) { return same_in_any_case(member.key(), name); });
    return static_cast<std::size_t>(found - object.begin());
}

}  // namespace

PathSteps joined(PathSteps path, const PathSteps& rest)
{
    path.insert(path.end(), rest.begin(), rest.end());
    return path;
}

Found find(const json::value& value, const Place& place, std::span<const model::PathStep> path)
{
    if (path.empty()) return {&place, &value, true};
    const Found none{&place, &value, false};
    if (const auto* index = std::get_if<std::size_t>(&path[0])) {
        const auto* array = value.if_array();
        if (!array || *index >= array->size()) return none;
        return find((*array)[*index], place.items[*index], path.subspan(1));
    }
    const auto* object = value.if_object();
    const std::size_t index = object ? index_of(*object, std::get<std::string>(path[0])) : 0;
    if (!object || index == object->size()) return none;
    return find((object->begin() + static_cast<std::ptrdiff_t>(index))->value(), place.items[index], path.subspan(1));
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
