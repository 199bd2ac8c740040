// Short messages: which characters they are made of, and how many are sent and paid for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cadre::text {

enum class SmsEncoding : std::uint8_t { gsm7, ucs2 };
std::string_view name_of(SmsEncoding encoding);  // "GSM-7", "UCS-2"

struct SmsSize {
    SmsEncoding encoding = SmsEncoding::gsm7;
    std::size_t characters = 0;   // code points
    std::size_t units = 0;        // septets, or UTF-16 units
    std::size_t utf16_units = 0;  // in either encoding: what vendors limit texts by
    std::size_t segments = 0;

    bool operator==(const SmsSize&) const = default;
};

/// One segment holds 160 septets or 70 UTF-16 units; where there are several, 153 or 67 each. A character of the extension table is
/// two septets, and neither it nor a grapheme is divided between two segments, unless the grapheme is longer than one. One character
/// outside of GSM-7 makes all of it UCS-2. An empty text is none.
SmsSize sms_size(std::string_view text);

/// Quotation marks, dashes, ellipses, bullets and blanks as GSM-7 has them. Letters are never changed.
std::string with_plain_typography(std::string_view text);

}  // namespace cadre::text
