#include "server/stream_position.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <charconv>

namespace cadre::server {
namespace {

/// Models that write at the same time.
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kLongestStep = 128;
constexpr std::string_view kEnd = "end";

/// The text up to the next slash, which is gone then.
std::string_view take_part(std::string_view& text)
{
    const std::string_view part = text.substr(0, text.find('/'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

template <class Number>
bool read_position_number(std::string_view text, Number& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool is_step(std::string_view text)
{
    const auto is_plain = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; };
    return !text.empty() && text.size() <= kLongestStep && std::ranges::all_of(text, is_plain);
}

std::string position_text(const StreamPosition& position)
{
    std::string out = std::to_string(position.seen);
    for (const auto& [step, offset] : position.written)
        out += '/' + step + '/' + (offset == kWholeText ? std::string(kEnd) : std::to_string(offset));
    return out;
}

std::optional<StreamPosition> find_position(std::string_view text)
{
    StreamPosition position;
    if (text.ends_with('/') || !read_position_number(take_part(text), position.seen)) return std::nullopt;
    while (!text.empty()) {
        const std::string_view step = take_part(text), offset = take_part(text);
        std::size_t bytes = kWholeText;
        if (!is_step(step) || (offset != kEnd && !read_position_number(offset, bytes))) return std::nullopt;
        if (!position.written.emplace(step, bytes).second || position.written.size() > kMostSteps) return std::nullopt;
    }
    return position;
}

}  // namespace cadre::server
