// parse_json(): a descent through the text that counts what it meets; Boost's value_stack makes the values. Boost's own
// parser can be fed in pieces, which nobody here needs: with a handler for our checks it takes longer, twice as long for
// prose, and its errors do not tell lone surrogates and endless exponents from the rest.
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_text.hpp"

#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

namespace cadre {

namespace {

/// Of a number that no double can hold: whether it is too large, and not too small.
bool is_too_large(std::string_view number)
{
    const std::size_t e = std::min(number.find_first_of("eE"), number.size());
    const std::string_view digits = number.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
    const auto first = static_cast<std::int64_t>(digits.find_first_of("123456789"));
    std::string_view exponent = number.substr(std::min(e + 1, number.size()));
    if (exponent.starts_with('+')) exponent.remove_prefix(1);
    std::int64_t shift = 0;
    const auto [end, problem] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), shift);
    if (problem == std::errc::result_out_of_range) return !exponent.starts_with('-');
    return shift > first - point;
}

/// Like those of JsonText, its functions take a place in the text and return the place after what they read. The rarer
/// ones are not inlined, to keep those light that read strings.
class Parser {
public:
    Parser(std::string_view text, const JsonLimits& limits, const json::storage_ptr& storage)
        : text_(text),
          limits_(limits),
          depth_left_(limits.depth),
          stack_({}, stack_space_.data(), stack_space_.size()),
          keys_memory_(keys_space_.data(), keys_space_.size()),
          keys_(&keys_memory_)
    {
        stack_.reset(storage);
        keys_.reserve(kUsualKeys);
    }

    json::value parse()
    {
        const char* at = text_.begin();
        if (std::string_view(at, text_.end()).starts_with("\xEF\xBB\xBF"))
            text_.refuse("a byte order mark; JSON must be UTF-8 without one", at);
        at = text_.skip_blanks(at);
        if (at == text_.end()) text_.refuse("the JSON text is empty", text_.begin());
        at = text_.skip_blanks(value(at));
        if (at != text_.end()) text_.refuse("text after the end of the JSON", at);
        return stack_.release();
    }

private:
    static constexpr std::size_t kUsualKeys = 32;
    static constexpr std::size_t kFewKeys = 16;

    /// A key with escapes: its characters are not the text's.
    struct Copy {
        std::string key;
        const char* place;
    };

    void count(const char* at)
    {
        if (++nodes_ > limits_.nodes) refuse_count(at);
    }
    [[noreturn, gnu::cold]] void refuse_count(const char* at) const
    {
        text_.refuse(fmt::format("more than {} values and keys", limits_.nodes), at, JsonFlaw::limit);
    }

    const char* value(const char* at)
    {
        switch (at == text_.end() ? '\0' : *at) {
        case '{': return object(at);
        case '[': return array(at);
        case '"': at = string(at); break;
        case 't':
            at = text_.expect("true", at);
            stack_.push_bool(true);
            break;
        case 'f':
            at = text_.expect("false", at);
            stack_.push_bool(false);
            break;
        case 'n':
            at = text_.expect("null", at);
            stack_.push_null();
            break;
        default: at = number(at); break;
        }
        count(at);
        return at;
    }

    const char* string(const char* at)
    {
        std::string_view says;
        at = text_.read_string(at, says);
        stack_.push_string(says);
        return at;
    }

    /// Passes over the bracket and the blanks that begin an object or an array.
    const char* enter(const char* at)
    {
        if (depth_left_ == 0) text_.refuse(fmt::format("nested more than {} deep", limits_.depth), at, JsonFlaw::limit);
        --depth_left_;
        count(at + 1);
        return text_.skip_blanks(at + 1);
    }

    [[gnu::noinline]] const char* array(const char* at)
    {
        at = enter(at);
        std::size_t size = 0;
        if (!text_.has(']', at))
            for (;; at = text_.skip_blanks(at + 1)) {
                at = text_.skip_blanks(value(at));
                ++size;
                if (!text_.has(',', at)) break;
            }
        at = text_.expect(']', at);
        stack_.push_array(size);
        ++depth_left_;
        return at;
    }

    [[gnu::noinline]] const char* object(const char* at)
    {
        at = enter(at);
        const std::size_t outer_keys = keys_.size();
        if (!text_.has('}', at))
            for (;; at = text_.skip_blanks(at + 1)) {
                at = text_.skip_blanks(key(at));
                at = text_.skip_blanks(text_.expect(':', at));
                at = text_.skip_blanks(value(at));
                if (!text_.has(',', at)) break;
            }
        at = text_.expect('}', at);
        const auto keys = std::span<const std::string_view>(keys_).subspan(outer_keys);
        check_distinct(keys);
        stack_.push_object(keys.size());
        keys_.resize(outer_keys);
        ++depth_left_;
        return at;
    }

    const char* key(const char* at)
    {
        if (!text_.has('"', at)) text_.refuse(at);
        std::string_view says;
        const char* const end = text_.read_string(at, says);
        if (says.data() != at + 1) says = copies_.emplace_front(std::string(says), at).key;
        keys_.push_back(says);
        stack_.push_key(says);
        count(end);
        return end;
    }

    void check_distinct(std::span<const std::string_view> keys) const
    {
        if (keys.size() > kFewKeys) return check_many_distinct(keys);
        for (std::size_t i = 1; i < keys.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (keys[i] == keys[j]) refuse_twin(keys[i]);
    }

    /// Sorting needs no hash, so nobody can choose keys that make it slow.
    [[gnu::noinline]] void check_many_distinct(std::span<const std::string_view> keys) const
    {
        std::vector<std::string_view> sorted(keys.begin(), keys.end());
        std::ranges::sort(sorted);
        const auto twin = std::ranges::adjacent_find(sorted);
        if (twin == sorted.end()) return;
        const auto first = std::ranges::find(keys, *twin);
        refuse_twin(*std::find(std::next(first), keys.end(), *twin));
    }

    [[noreturn, gnu::cold]] void refuse_twin(std::string_view key) const
    {
        const auto copy = std::ranges::find(copies_, key.data(), [](const Copy& c) { return c.key.data(); });
        text_.refuse("duplicate key " + in_quotes(key), copy == copies_.end() ? key.data() - 1 : copy->place,
                     JsonFlaw::duplicate_key);
    }

    [[gnu::noinline]] const char* number(const char* at)
    {
        std::int64_t whole = 0;
        if (const char* const end = text_.read_short(at, whole)) {
            stack_.push_int64(whole);
            return end;
        }
        bool is_whole = true;
        const char* const end = text_.skip_number(at, is_whole);
        if (!is_whole || !push_whole({at, end})) stack_.push_double(real({at, end}));
        return end;
    }

    bool push_whole(std::string_view digits)
    {
        const char* const end = digits.data() + digits.size();
        std::int64_t number = 0;
        std::uint64_t large = 0;
        if (std::from_chars(digits.data(), end, number).ec == std::errc()) stack_.push_int64(number);
        else if (digits[0] != '-' && std::from_chars(digits.data(), end, large).ec == std::errc())
            stack_.push_uint64(large);
        else return false;
        return true;
    }

    double real(std::string_view number) const
    {
        double real = 0;
        const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), real);
        if (problem != std::errc::result_out_of_range) return real;
        if (is_too_large(number)) text_.refuse("the number is too large", number.data());
        return number.starts_with('-') ? -0.0 : 0.0;
    }

    JsonText text_;
    const JsonLimits& limits_;
    std::size_t depth_left_;
    std::size_t nodes_ = 0;
    // small texts need no more than these spaces, and so no allocation
    std::array<unsigned char, 2048> stack_space_;
    json::value_stack stack_;
    std::array<std::byte, kUsualKeys * sizeof(std::string_view)> keys_space_;
    std::pmr::monotonic_buffer_resource keys_memory_;
    std::pmr::vector<std::string_view> keys_;  // of all objects that are still open, innermost last
    std::forward_list<Copy> copies_;
};

}  // namespace

json::value parse_json(std::string_view text, const JsonLimits& limits)
{
    return parse_json(text, limits, json::storage_ptr());
}

json::value parse_json(std::string_view text, const JsonLimits& limits, const json::storage_ptr& storage)
{
    const std::size_t most = std::min(limits.bytes, json::string::max_size());  // nothing in it can be larger for Boost
    if (text.size() > most)
        throw Error(Code::too_large, fmt::format("{} bytes of JSON; the limit is {}", text.size(), most));
    return Parser(text, limits, storage).parse();
}

}  // namespace cadre
