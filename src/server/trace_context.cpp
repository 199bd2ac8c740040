#include "server/trace_context.hpp"

#include "base/ascii.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace cadre::server {
namespace {

constexpr std::size_t kTraceDigits = 32, kSpanDigits = 16, kFlagDigits = 2;
constexpr std::size_t kTraceparentLength = 2 + 1 + kTraceDigits + 1 + kSpanDigits + 1 + kFlagDigits;

bool is_lower_hex(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text)
{
    return is_lower_hex(text) && text.find_first_not_of('0') != text.npos;
}

std::string random_hex(Random& random, std::size_t digits)
{
    std::array<std::uint8_t, kTraceDigits / 2> bytes{};
    const std::span used = std::span(bytes).first(digits / 2);
    std::string text;
    while (!is_id(text)) {
        random.fill(std::as_writable_bytes(used));
        text.clear();
        append_hex(text, used);
    }
    return text;
}

}  // namespace

std::optional<TraceContext> find_trace_context(std::string_view text)
{
    if (text.size() < kTraceparentLength || text[2] != '-' || text[3 + kTraceDigits] != '-' ||
        text[4 + kTraceDigits + kSpanDigits] != '-')
        return std::nullopt;
    const std::string_view version = text.substr(0, 2), trace = text.substr(3, kTraceDigits),
                           parent = text.substr(4 + kTraceDigits, kSpanDigits),
                           flags = text.substr(kTraceparentLength - 2, 2);
    if (!is_lower_hex(version) || version == "ff" || !is_id(trace) || !is_id(parent) || !is_lower_hex(flags))
        return std::nullopt;
    // what a newer version adds comes behind another hyphen
    if (text.size() > kTraceparentLength && (version == "00" || text[kTraceparentLength] != '-')) return std::nullopt;
    const char last = flags[1];
    const int bits = is_digit(last) ? last - '0' : last - 'a' + 10;
    return TraceContext{.trace = std::string(trace), .parent = std::string(parent), .sampled = (bits & 1) != 0};
}

TraceContext trace_context_of(std::string_view traceparent, Random& random)
{
    TraceContext context =
        find_trace_context(traceparent).value_or(TraceContext{.trace = random_hex(random, kTraceDigits)});
    context.span = random_hex(random, kSpanDigits);
    return context;
}

std::string traceparent_of(const TraceContext& context)
{
    return "00-" + context.trace + "-" + context.span + (context.sampled ? "-01" : "-00");
}

}  // namespace cadre::server
