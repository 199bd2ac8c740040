#include "text/nfc.hpp"

#include <unicode/unorm2.h>
#include <unicode/ustring.h>

#include <algorithm>
#include <vector>

namespace cadre::text {

std::optional<std::string> nfc(std::string_view text)
{
    if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
        return std::string(text);
    UErrorCode status = U_ZERO_ERROR;
    std::vector<UChar> wide(text.size());
    std::int32_t size = 0;
    u_strFromUTF8(wide.data(), static_cast<std::int32_t>(wide.size()), &size, text.data(),
                  static_cast<std::int32_t>(text.size()), &status);
    const UNormalizer2* composer = unorm2_getNFCInstance(&status);
    if (U_FAILURE(status)) return std::nullopt;
    // a character may become three of them
    std::vector<UChar> composed(3 * static_cast<std::size_t>(size) + 1);
    const std::int32_t length = unorm2_normalize(composer, wide.data(), size, composed.data(),
                                                 static_cast<std::int32_t>(composed.size()), &status);
    std::string out(3 * static_cast<std::size_t>(std::max(length, 0)), '\0');
    std::int32_t bytes = 0;
    u_strToUTF8(out.data(), static_cast<std::int32_t>(out.size()), &bytes, composed.data(), length, &status);
    if (U_FAILURE(status)) return std::nullopt;
    out.resize(static_cast<std::size_t>(bytes));
    return out;
}

}  // namespace cadre::text
