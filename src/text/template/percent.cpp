#include "text/template/percent.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "text/template/bodies.hpp"
#include "text/template/characters.hpp"
#include "text/template/compare.hpp"
#include "text/template/html.hpp"
#include "text/template/iterate.hpp"
#include "text/template/meter.hpp"
#include "text/template/numbers.hpp"
#include "text/template/print.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace cadre::text::tpl {
namespace {

[[noreturn]] void fail_format(const std::string& why)
{
    throw Error(Code::invalid, "format: " + why);
}

struct Directive {
    bool left = false;
    bool sign = false;
    bool blank = false;
    bool alternate = false;
    bool zero = false;
    std::int64_t width = 0;
    std::int64_t precision = -1;
    char conversion = 0;
};

class Formatter {
public:
    Formatter(const Value& format, const Value& values, Meter& meter)
        : format_(format.text()), escapes_(format.special()), values_(values), meter_(meter)
    {
        // as Python decides it: what has [] and is neither a text nor a tuple may be a mapping, and may stay unused
        is_tuple_ = values.is(Kind::tuple);
        is_mapping_ = !is_tuple_ && (values.is(Kind::list) || values.is(Kind::dict) || values.is(Kind::range) ||
                                     is_undefined(values));
    }

    std::string run()
    {
        meter_.charge_bytes(format_.size());
        while (at_ < format_.size()) {
            if (format_[at_] != '%') {
                const std::size_t next = std::min(format_.find('%', at_), format_.size());
                out_ += format_.substr(at_, next - at_);
                at_ = next;
                continue;
            }
            ++at_;
            if (peek() == '%') out_ += format_[at_++];
            else directive();
            Meter::check_text(out_.size());
        }
        const bool all_used = is_tuple_ ? used_ >= values_.items().size() : used_ > 0;
        if (!all_used && !is_mapping_) fail_format("not all values are used");
        return std::move(out_);
    }

private:
    char peek()
    {
        if (at_ >= format_.size()) fail_format("it ends within a directive");
        return format_[at_];
    }

    Value next_value()
    {
        if (mapped_) return std::move(*std::exchange(mapped_, std::nullopt));
        if (!is_tuple_) {
            if (used_++ > 0) fail_format("there are more directives than values");
            return values_;
        }
        if (used_ >= values_.items().size()) fail_format("there are more directives than values");
        return values_.items()[used_++];
    }

    void key()
    {
        if (!is_mapping_) fail_format("a name in brackets needs a dict");
        ++at_;
        int depth = 1;
        const std::size_t start = at_;
        while (at_ < format_.size() && depth > 0) {
            if (format_[at_] == '(') ++depth;
            if (format_[at_] == ')') --depth;
            ++at_;
        }
        if (depth > 0) fail_format("a bracket is not closed");
        if (is_undefined(values_)) fail_undefined(values_);
        const std::string name(format_.substr(start, at_ - start - 1));
        const Value* found = values_.is(Kind::dict) ? values_.find(name) : nullptr;
        if (!found) fail_format("there is no value " + in_quotes(name));
        mapped_ = *found;
        used_ = std::max<std::size_t>(used_, 1);  // from here on a directive without a name finds nothing
    }

    std::int64_t number(std::int64_t most)
    {
        std::int64_t n = 0;
        while (is_digit(peek())) {
            n = n * 10 + (format_[at_++] - '0');
            if (n > most) fail_format("a width or precision is too large");
        }
        return n;
    }

    std::int64_t starred()
    {
        ++at_;
        const Value value = next_value();
        if (!is_integral(value)) fail_format("* needs an integer");
        return integral(value);
    }

    void directive()
    {
        Directive d;
        if (peek() == '(') key();
        for (;; ++at_) {
            const char c = peek();
            if (c == '-') d.left = true;
            else if (c == '+') d.sign = true;
            else if (c == ' ') d.blank = true;
            else if (c == '#') d.alternate = true;
            else if (c == '0') d.zero = true;
            else break;
        }
        if (peek() == '*') {
            d.width = starred();
            if (d.width < 0)
                d.left = true, d.width = d.width == std::numeric_limits<std::int64_t>::min() ? kHuge : -d.width;
        } else {
            d.width = number(kHuge);
        }
        if (peek() == '.') {
            ++at_;
            d.precision = peek() == '*' ? std::max<std::int64_t>(starred(), 0) : number(kHuge);
        }
        if (peek() == 'h' || peek() == 'l' || peek() == 'L') ++at_;
        d.conversion = peek();
        ++at_;
        if (d.width > static_cast<std::int64_t>(kMaxText) || d.precision > static_cast<std::int64_t>(kMaxText))
            Meter::check_text(kMaxText + 1);
        convert(d, next_value());
    }

    void convert(const Directive& d, const Value& value)
    {
        switch (d.conversion) {
        case 's': return pad_text(d, shown(text_of(value, meter_), is_text(value) && value.special()));
        case 'r': return pad_text(d, shown(repr(value), false));
        case 'a': return pad_text(d, ascii_escaped(shown(repr(value), false)));
        case 'c': return pad_text(d, character(value));
        case 'd':
        case 'i':
        case 'u': return integer(d, whole_number(value));
        case 'x':
        case 'X':
        case 'o':
            if (!is_integral(value) || escapes_) fail_format(fmt::format("%{} needs an integer", d.conversion));
            return integer(d, integral(value));
        case 'e':
        case 'E':
        case 'f':
        case 'F':
        case 'g':
        case 'G': return floating(d, real_number(value));
        default: fail_format("a directive ends with " + in_quotes(std::string(1, d.conversion)));
        }
    }

    std::string repr(const Value& value)
    {
        std::string text;
        append_repr(text, value, meter_);
        return text;
    }

    /// Markup escapes what is put into it, unless that is Markup itself.
    std::string shown(std::string text, bool is_markup) const { return escapes_ && !is_markup ? escaped(text) : text; }

    std::string character(const Value& value) const
    {
        if (escapes_) fail_format("%c does not work on Markup");
        if (is_text(value) && length_of(value.text()) == 1) return value.text();
        if (!is_integral(value) || integral(value) < 0 || integral(value) > 0x10FFFF ||
            (integral(value) >= 0xD800 && integral(value) <= 0xDFFF))
            fail_format("%c needs a character or its number");
        std::string text;
        append_utf8(text, static_cast<char32_t>(integral(value)));
        return text;
    }

    std::int64_t whole_number(const Value& value) const
    {
        if (is_undefined(value) && escapes_) fail_undefined(value);
        if (is_integral(value)) return integral(value);
        if (escapes_ && is_text(value))
            if (const auto parsed = parse_int(value.text())) return *parsed;
        if (value.is(Kind::number))
            if (const auto whole = truncated(value.number())) return *whole;
        fail_format("%d needs a number");
    }

    double real_number(const Value& value) const
    {
        if (is_undefined(value)) fail_undefined(value);
        if (is_number(value)) return as_double(value);
        if (escapes_ && is_text(value))
            if (const auto parsed = parse_float(value.text())) return *parsed;
        fail_format("%f needs a number");
    }

    void pad_text(const Directive& d, std::string_view text)
    {
        if (d.precision >= 0 && d.conversion != 'c')
            text = text.substr(0, offset_of(text, static_cast<std::size_t>(d.precision)));
        pad(d, "", text, false);
    }

    void integer(const Directive& d, std::int64_t value)
    {
        const std::uint64_t size =
            value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
        std::string digits;
        std::string prefix = sign(d, value < 0);
        switch (d.conversion) {
        case 'x': digits = fmt::format("{:x}", size); break;
        case 'X': digits = fmt::format("{:X}", size); break;
        case 'o': digits = fmt::format("{:o}", size); break;
        default: digits = fmt::format("{}", size);
        }
        if (d.alternate && (d.conversion == 'x' || d.conversion == 'X' || d.conversion == 'o'))
            prefix += '0', prefix += d.conversion;
        if (d.precision > static_cast<std::int64_t>(digits.size()))
            digits.insert(0, static_cast<std::size_t>(d.precision) - digits.size(), '0');
        pad(d, prefix, digits, d.zero);
    }

    void floating(const Directive& d, double value)
    {
        const std::string prefix = sign(d, std::signbit(value) && !std::isnan(value));
        std::string digits;
        if (!std::isfinite(value)) {
            digits = std::isnan(value) ? "nan" : "inf";
            if (d.conversion < 'a') digits = upper(digits);
        } else {
            const char format[] = {'%',
                                   d.alternate ? '#' : '.',
                                   d.alternate ? '.' : '*',
                                   d.alternate ? '*' : d.conversion,
                                   d.alternate ? d.conversion : '\0',
                                   '\0'};
            const int precision = d.precision < 0 ? 6 : static_cast<int>(d.precision);
            digits.resize(static_cast<std::size_t>(precision) + 340);
            digits.resize(static_cast<std::size_t>(
                std::snprintf(digits.data(), digits.size(), format, precision, std::fabs(value))));
        }
        pad(d, prefix, digits, d.zero);
    }

    static std::string sign(const Directive& d, bool negative)
    {
        return negative ? "-" : d.sign ? "+" : d.blank ? " " : "";
    }

    void pad(const Directive& d, std::string_view prefix, std::string_view text, bool zeros)
    {
        const std::size_t size = prefix.size() + length_of(text);
        const auto width = static_cast<std::size_t>(d.width);
        const std::size_t missing = width > size ? width - size : 0;
        meter_.charge_bytes(text.size() + missing);
        if (!d.left && !zeros) out_.append(missing, ' ');
        out_ += prefix;
        if (!d.left && zeros) out_.append(missing, '0');
        out_ += text;
        if (d.left) out_.append(missing, ' ');
    }

    static constexpr std::int64_t kHuge = 1'000'000'000;

    std::string_view format_;
    bool escapes_;
    const Value& values_;
    Meter& meter_;
    bool is_tuple_ = false;
    bool is_mapping_ = false;
    std::size_t at_ = 0;
    std::size_t used_ = 0;
    std::optional<Value> mapped_{};
    std::string out_{};
};

}  // namespace

Value percent(const Value& format, const Value& values, Meter& meter)
{
    std::string text = Formatter(format, values, meter).run();
    return format.special() ? markup_of(std::move(text)) : Value(std::move(text));
}

}  // namespace cadre::text::tpl
