#include "channels/mail/mail_shape.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "channels/mail/mail_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

namespace cadre::channels {
namespace {

/// Each may begin a part.
constexpr std::size_t kMostDashedLines = 10'000;
/// Each may say that a part has parts, and every line is then held against one boundary more.
constexpr std::size_t kMostTypes = 300;
/// Lines that look like headers, with those that continue them: of all parts, bodies included, since only a parser could tell.
constexpr std::size_t kMostHeaders = 50'000;
constexpr std::size_t kLongestHeaderLine = 64 << 10;
constexpr std::size_t kMostHeaderBytes = 4 << 20;

bool looks_like_header(std::string_view line)
{
    const std::size_t colon = line.find(':');
    return colon != line.npos && colon > 0 &&
           std::ranges::all_of(line.substr(0, colon), [](char c) { return c > ' ' && c < '\x7f'; });
}

[[noreturn]] void throw_shape(std::string_view what)
{
    throw Error(Code::too_large, fmt::format("a mail with {} is not taken apart", what));
}

}  // namespace

void check_mail_shape(std::string_view bytes)
{
    constexpr std::string_view kType = "content-type";
    if (bytes.size() > kLargestMail) throw Error(Code::too_large, "a mail has at most 25 MiB");
    std::size_t dashed = 0, types = 0, headers = 0, header_bytes = 0, header = 0;
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        const std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end);
        const bool continues = header > 0 && (line.front() == ' ' || line.front() == '\t');
        if (line.starts_with("--") && ++dashed > kMostDashedLines) throw_shape("so many boundaries");
        if (same_in_any_case(line.substr(0, kType.size()), kType) && ++types > kMostTypes) throw_shape("so many types");
        if (!continues) header = 0;
        if (!continues && !looks_like_header(line.substr(0, 1000))) continue;
        if (!continues && ++headers > kMostHeaders) throw_shape("so many headers");
        header += line.size();
        header_bytes += line.size();
        if (header > kLongestHeaderLine) throw_shape("a header that long");
        if (header_bytes > kMostHeaderBytes) throw_shape("so much in headers");
    }
}

}  // namespace cadre::channels
