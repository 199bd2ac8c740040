#include "text/channel/sms.hpp"

#include "text/channel/grapheme.hpp"
#include "text/code_point.hpp"

#include <algorithm>

namespace cadre::text {

namespace {

// GSM 03.38, what is not ASCII in it, and the extension table
constexpr std::u32string_view kGsmLetters = U"£¥èéùìòÇØøÅåΔΦΓΛΩΠΨΣΘΞÆæßÉ¤¡ÄÖÑÜ§¿äöñüà";
constexpr std::u32string_view kGsmExtension = U"^{}\\[]~|€\f";

/// 0: it is not one of GSM-7's.
std::size_t septets_of(char32_t c)
{
    if (kGsmExtension.find(c) != kGsmExtension.npos) return 2;
    if (c == '\n' || c == '\r' || (c >= ' ' && c < 0x7F && c != '`')) return 1;
    return kGsmLetters.find(c) != kGsmLetters.npos ? 1 : 0;
}

std::size_t utf16_units_of(char32_t c)
{
    return c >= 0x10000 ? 2 : 1;
}

std::size_t utf16_units_of(std::string_view text)
{
    std::size_t units = 0;
    each_code_point(text, [&](char32_t c, std::size_t) { units += utf16_units_of(c); });
    return units;
}

/// Fills segments with what must stay in one.
class SegmentFiller {
public:
    explicit SegmentFiller(std::size_t size) : size_(size), used_(size) {}

    void add(std::size_t units)
    {
        if (used_ + units > size_) {
            ++segments_;
            used_ = 0;
        }
        used_ += units;
    }

    std::size_t segments() const { return segments_; }

private:
    std::size_t size_;
    std::size_t used_;
    std::size_t segments_ = 0;
};

std::size_t gsm_segments(std::string_view text)
{
    SegmentFiller filler(153);
    each_code_point(text, [&](char32_t c, std::size_t) { filler.add(septets_of(c)); });
    return filler.segments();
}

std::size_t ucs_segments(std::string_view text)
{
    constexpr std::size_t kSize = 67;
    SegmentFiller filler(kSize);
    std::size_t begin = 0;
    for (const std::size_t end : grapheme_ends(text)) {
        const std::string_view one = text.substr(begin, end - begin);
        begin = end;
        if (const std::size_t units = utf16_units_of(one); units <= kSize) filler.add(units);
        else each_code_point(one, [&](char32_t c, std::size_t) { filler.add(utf16_units_of(c)); });
    }
    return filler.segments();
}

std::string_view plain_form(char32_t c)
{
    switch (c) {
    case U'“':
    case U'”':
    case U'„':
    case U'‟':
    case U'«':
    case U'»':
    case U'″': return "\"";
    case U'‘':
    case U'’':
    case U'‚':
    case U'‛':
    case U'′': return "'";
    case U'–':
    case U'—':
    case U'―':
    case U'‐':
    case U'‑':
    case U'‒':
    case U'−': return "-";
    case U'•':
    case U'‣':
    case U'◦':
    case U'▪':
    case U'●': return "-";
    case U'…': return "...";
    default: break;
    }
    const bool is_blank =
        c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F || c == 0x3000 || c == '\t';
    return is_blank ? " " : "";
}

}  // namespace

std::string_view name_of(SmsEncoding encoding)
{
    return encoding == SmsEncoding::gsm7 ? "GSM-7" : "UCS-2";
}

SmsSize sms_size(std::string_view text)
{
    SmsSize size;
    std::size_t septets = 0;
    bool is_gsm = true;
    each_code_point(text, [&](char32_t c, std::size_t) {
        const std::size_t here = septets_of(c);
        is_gsm &= here > 0;
        septets += here;
        ++size.characters;
    });
    size.utf16_units = utf16_units_of(text);
    size.encoding = is_gsm ? SmsEncoding::gsm7 : SmsEncoding::ucs2;
    size.units = is_gsm ? septets : size.utf16_units;
    const std::size_t alone = is_gsm ? 160 : 70;
    size.segments = size.units <= alone ? std::min<std::size_t>(size.units, 1)
                    : is_gsm            ? gsm_segments(text)
                                        : ucs_segments(text);
    return size;
}

std::string with_plain_typography(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    each_code_point(text, [&](char32_t c, std::size_t at) {
        const std::string_view plain = plain_form(c);
        out += plain.empty() ? text.substr(at, first_code_point(text.substr(at)).bytes) : plain;
    });
    return out;
}

}  // namespace cadre::text
