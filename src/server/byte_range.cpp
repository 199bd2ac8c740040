#include "server/byte_range.hpp"

#include "base/trim.hpp"

#include <algorithm>
#include <charconv>

namespace cadre::server {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text)
{
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

std::optional<ByteRange> byte_range(std::string_view header, std::uint64_t size)
{
    constexpr std::string_view kBytes = "bytes=";
    if (!header.starts_with(kBytes)) return std::nullopt;
    const std::string_view range = trimmed(header.substr(kBytes.size()));
    const std::size_t dash = range.find('-');
    if (dash == range.npos || range.find(',') != range.npos) return std::nullopt;
    const std::string_view from = range.substr(0, dash), to = range.substr(dash + 1);
    if (from.empty()) {  // the last so many
        const auto count = number_in(to);
        if (!count) return std::nullopt;
        const std::uint64_t taken = std::min(*count, size);
        return ByteRange{size - taken, taken};
    }
    const auto first = number_in(from), last = to.empty() ? std::optional(UINT64_MAX) : number_in(to);
    if (!first || !last || *last < *first) return std::nullopt;
    if (*first >= size) return ByteRange{*first, 0};
    return ByteRange{*first, std::min(*last, size - 1) - *first + 1};
}

}  // namespace cadre::server
