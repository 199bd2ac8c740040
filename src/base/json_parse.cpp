// parse_json(): Boost's parser under a handler of ours that counts, refuses duplicate keys and reads doubles exactly.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <forward_list>
#include <functional>
#include <vector>

namespace cadre {

namespace {

using json::error_code;

/// Why the handler stopped the parser, and where in the text, if it knows better than the parser.
struct Refusal {
    Code code = Code::malformed;
    std::string reason;
    const char* where = nullptr;
};

/// Boost's parser calls this for every piece of the text. The text is one buffer, so a number comes in one piece, and
/// its characters are the text's own; strings with escapes come in parts that are copies.
class Handler {
    static constexpr std::size_t kUsualKeys = 32;

public:
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();

    Handler(std::string_view text, std::size_t max_nodes, const json::storage_ptr& storage)
        : text_(text), max_nodes_(max_nodes), stack_({}, stack_space_.data(), stack_space_.size())
    {
        stack_.reset(storage);
        keys_.reserve(kUsualKeys);
    }

    json::value release() { return stack_.release(); }
    const Refusal& refusal() const { return refusal_; }

    bool on_document_begin(error_code&) { return true; }
    bool on_document_end(error_code&) { return true; }
    bool on_comment_part(json::string_view, error_code&) { return true; }
    bool on_comment(json::string_view, error_code&) { return true; }
    bool on_number_part(json::string_view, error_code&) { return true; }

    bool on_object_begin(error_code& ec) { return count(ec); }
    bool on_object_end(std::size_t size, error_code& ec)
    {
        if (!check_distinct(size, ec)) return false;
        stack_.push_object(size);
        return true;
    }
    bool on_array_begin(error_code& ec) { return count(ec); }
    bool on_array_end(std::size_t size, error_code&)
    {
        stack_.push_array(size);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, error_code&)
    {
        key_part_ += part;
        stack_.push_chars(part);
        return true;
    }
    bool on_key(json::string_view last, std::size_t, error_code& ec)
    {
        std::string_view key = last;
        if (!key_part_.empty() || !is_in_text(last)) key = copies_.emplace_front(key_part_.append(last));
        keys_.push_back({key, nodes_});
        key_part_.clear();
        stack_.push_key(last);
        return count(ec);
    }
    bool on_string_part(json::string_view part, std::size_t, error_code&)
    {
        stack_.push_chars(part);
        return true;
    }
    bool on_string(json::string_view last, std::size_t, error_code& ec)
    {
        stack_.push_string(last);
        return count(ec);
    }
    bool on_int64(std::int64_t number, json::string_view, error_code& ec)
    {
        stack_.push_int64(number);
        return count(ec);
    }
    bool on_uint64(std::uint64_t number, json::string_view, error_code& ec)
    {
        stack_.push_uint64(number);
        return count(ec);
    }
    bool on_double(double estimate, json::string_view digits, error_code& ec)
    {
        double number = 0;  // Boost's estimate may be off by some units in the last place
        const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (problem == std::errc::result_out_of_range) {
            if (std::abs(estimate) > 1)
                return refuse({.reason = "the number is too large", .where = digits.data()}, ec);
            number = std::copysign(0.0, estimate);
        }
        stack_.push_double(number);
        return count(ec);
    }
    bool on_bool(bool flag, error_code& ec)
    {
        stack_.push_bool(flag);
        return count(ec);
    }
    bool on_null(error_code& ec)
    {
        stack_.push_null();
        return count(ec);
    }

private:
    struct Key {
        std::string_view text;
        std::size_t order;  // of two equal ones the second is the duplicate

        auto operator<=>(const Key&) const = default;
    };

    bool refuse(Refusal refusal, error_code& ec)
    {
        refusal_ = std::move(refusal);
        ec = json::error::exception;  // any error stops the parser; nobody reads which
        return false;
    }

    bool count(error_code& ec)
    {
        if (++nodes_ <= max_nodes_) return true;
        return refuse({.code = Code::too_large, .reason = fmt::format("more than {} values and keys", max_nodes_)}, ec);
    }

    /// Refuses an object with two equal keys. Sorting needs no hash, so nobody can choose keys that make it slow.
    bool check_distinct(std::size_t size, error_code& ec)
    {
        const auto first = keys_.end() - static_cast<std::ptrdiff_t>(size);
        std::sort(first, keys_.end());
        const auto twin = std::ranges::adjacent_find(first, keys_.end(), {}, &Key::text);
        if (twin != keys_.end()) {
            const std::string_view key = std::next(twin)->text;
            const char* where = is_in_text(key) ? key.data() - 1 : nullptr;
            return refuse({.reason = "duplicate key " + quoted(key), .where = where}, ec);
        }
        keys_.erase(first, keys_.end());
        return true;
    }

    bool is_in_text(std::string_view part) const
    {
        return !std::less<>()(part.data(), text_.data()) && std::less<>()(part.data(), text_.data() + text_.size());
    }

    std::string_view text_;
    std::size_t max_nodes_;
    std::size_t nodes_ = 0;
    std::array<unsigned char, 2048> stack_space_;  // small texts need no more, and so no allocation
    json::value_stack stack_;
    std::vector<Key> keys_;                  // of all objects that are still open, innermost last
    std::forward_list<std::string> copies_;  // of keys with escapes, whose characters are not the text's
    std::string key_part_;
    Refusal refusal_;
};

/// "line 3, column 14"; a column is a character, not a byte.
std::string place(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'),
                       1 + std::ranges::count_if(before.substr(line_start), starts_character));
}

/// `text` with exponents longer than Boost's parser takes cut to nine digits, which say as much: 0 or too large.
/// Blanks fill the gap, so that every place in the text stays what it was.
std::string with_short_exponents(std::string_view text)
{
    constexpr std::size_t kDigits = 9;
    std::string out(text);
    bool in_string = false;
    for (std::size_t at = 0; at < out.size(); ++at) {
        if (out[at] == '"') in_string = !in_string;
        if (in_string && out[at] == '\\') ++at;
        if (in_string || (out[at] != 'e' && out[at] != 'E')) continue;
        const std::size_t first = std::min(out.find_first_not_of("+-", at + 1), out.size());
        const std::size_t end = std::min(out.find_first_not_of("0123456789", first), out.size());
        if (end - std::min(out.find_first_not_of('0', first), end) > kDigits)
            out.replace(first, end - first, std::string(kDigits, '9') + std::string(end - first - kDigits, ' '));
    }
    return out;
}

/// Whether this ends with the first half of a surrogate pair, perhaps with the backslash that seemed to begin the other.
bool ends_with_half_pair(std::string_view text)
{
    if (text.ends_with('\\')) text.remove_suffix(1);
    if (text.size() < 6) return false;
    const std::string_view escape = text.substr(text.size() - 6);
    const std::string_view halves = "89ABab";
    return escape.starts_with("\\u") && (escape[2] | 0x20) == 'd' && halves.find(escape[3]) != std::string_view::npos;
}

std::string syntax_reason(std::string_view rest)
{
    if (rest.empty()) return "the text ends too early";
    const std::size_t length = utf8_length(rest);
    if (length == 0) return "bytes that are not UTF-8";
    return "syntax error at " + quoted(rest.substr(0, length));
}

Refusal refusal_for(error_code ec, std::string_view text, std::size_t offset, const JsonLimits& limits)
{
    const std::string_view before = text.substr(0, offset), rest = text.substr(offset);
    if (ec == json::error::too_deep)
        return {.code = Code::too_large, .reason = fmt::format("nested more than {} deep", limits.depth)};
    const bool half = (ec == json::error::syntax && !rest.empty() && ends_with_half_pair(before)) ||
                      (ec == json::error::expected_hex_digit && before.size() > 6 &&
                       ends_with_half_pair(before.substr(0, before.size() - 6)));
    if (half || ec == json::error::illegal_leading_surrogate || ec == json::error::illegal_trailing_surrogate)
        return {.reason = "a \\u escape that is a lone surrogate"};
    if (ec == json::error::expected_hex_digit) return {.reason = "a \\u escape that stands for no character"};
    return {.reason = syntax_reason(rest)};
}

}  // namespace

json::value parse_json(std::string_view text, const JsonLimits& limits)
{
    return parse_json(text, limits, json::storage_ptr());
}

json::value parse_json(std::string_view text, const JsonLimits& limits, const json::storage_ptr& storage)
{
    if (text.size() > limits.bytes)
        throw Error(Code::too_large, fmt::format("{} bytes of JSON; the limit is {}", text.size(), limits.bytes));
    if (text.starts_with("\xEF\xBB\xBF"))
        throw Error(Code::malformed, "line 1, column 1: a byte order mark; JSON must be UTF-8 without one");
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        throw Error(Code::malformed, "line 1, column 1: the JSON text is empty");

    json::parse_options options;
    options.max_depth = limits.depth;
    json::basic_parser<Handler> parser(options, text, limits.nodes, storage);
    error_code ec;
    std::size_t offset = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && offset == text.size()) return parser.handler().release();
    if (ec == json::error::exponent_overflow)
        if (const std::string shorter = with_short_exponents(text); shorter != text) return parse_json(shorter, limits);

    Refusal refusal = parser.handler().refusal();
    if (refusal.where) offset = static_cast<std::size_t>(refusal.where - text.data());
    if (refusal.reason.empty())
        refusal = ec ? refusal_for(ec, text, offset, limits) : Refusal{.reason = "text after the end of the JSON"};
    throw Error(refusal.code, place(text, offset) + ": " + refusal.reason);
}

}  // namespace cadre
