// The lowest level of reading JSON: blanks, words, numbers and strings of a text, and the refusal that names the place.
#pragma once

#include "base/json_error.hpp"
#include "base/json_plain.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre {

/// A JSON text, which its owner keeps. Each function takes a place in it and returns the place after what it passed over.
class JsonText {
public:
    explicit JsonText(std::string_view text) : begin_(text.data()), end_(text.data() + text.size()) {}

    const char* begin() const { return begin_; }
    const char* end() const { return end_; }

    bool has(char c, const char* at) const { return at != end_ && *at == c; }
    const char* expect(char c, const char* at) const
    {
        if (!has(c, at)) refuse(at);
        return at + 1;
    }
    const char* expect(std::string_view word, const char* at) const
    {
        for (const char c : word) at = expect(c, at);
        return at;
    }
    const char* skip_blanks(const char* at) const
    {
        if (at == end_ || static_cast<unsigned char>(*at) > ' ') return at;
        return std::find_if_not(at, end_, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
    }
    /// The usual number: a few digits, with a comma or a bracket after them. Null if it is another.
    const char* read_short(const char* at, std::int64_t& number) const
    {
        constexpr std::ptrdiff_t kDigits = 18;  // fit into 64 bits
        const char* const start = at;
        std::int64_t value = 0;
        for (; at != end_ && *at >= '0' && *at <= '9' && at - start < kDigits; ++at) value = 10 * value + (*at - '0');
        const bool is_number = at != start && (*start != '0' || at == start + 1);
        if (!is_number || (!has(',', at) && !has('}', at) && !has(']', at))) return nullptr;
        number = value;
        return at;
    }
    /// `is_whole` becomes whether it has neither a fraction nor an exponent.
    const char* skip_number(const char* at, bool& is_whole) const;

    /// Reads the string whose first quote is at `at`. What it says are the text's own characters or, if some were
    /// escaped, a copy that the next string overwrites.
    const char* read_string(const char* at, std::string_view& says)
    {
        const char* const start = at + 1;
        const char* const quote = start + plain_length({start, end_});
        if (!has('"', quote)) return read_long(start, says);
        says = {start, quote};
        return quote + 1;
    }

    /// Throws a JsonError about what is at `at`.
    [[noreturn]] void refuse(std::string_view reason, const char* at, JsonFlaw flaw = JsonFlaw::syntax) const;
    /// The same for what stands at `at` and should not.
    [[noreturn]] void refuse(const char* at) const;

private:
    const char* read_long(const char* start, std::string_view& says);
    const char* skip_digits(const char* at) const;
    const char* unescape(const char* at);
    const char* unescape_unicode(const char* digits);
    unsigned unit_of(const char* digits) const;

    const char* begin_;
    const char* end_;
    std::string unescaped_;
};

}  // namespace cadre
