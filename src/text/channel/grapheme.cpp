#include "text/channel/grapheme.hpp"

#include "base/error.hpp"
#include "text/code_point.hpp"

#include <unicode/ubrk.h>
#include <unicode/uchar.h>
#include <unicode/utext.h>

#include <algorithm>
#include <memory>

namespace cadre::text {

namespace {

constexpr char32_t kEmojiSelector = 0xFE0F, kKeycap = 0x20E3;

struct CloseText {
    void operator()(UText* text) const { utext_close(text); }
};
struct CloseBreaks {
    void operator()(UBreakIterator* breaks) const { ubrk_close(breaks); }
};

void expect_success(UErrorCode status)
{
    if (U_FAILURE(status)) throw Error(Code::internal, std::string("ICU: ") + u_errorName(status));
}

/// One thread's iterator: to make one takes longer than to use it.
UBreakIterator& character_breaks()
{
    thread_local const std::unique_ptr<UBreakIterator, CloseBreaks> breaks = [] {
        UErrorCode status = U_ZERO_ERROR;
        std::unique_ptr<UBreakIterator, CloseBreaks> made(ubrk_open(UBRK_CHARACTER, "", nullptr, 0, &status));
        expect_success(status);
        return made;
    }();
    return *breaks;
}

bool is_ascii_text(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::vector<std::size_t> grapheme_ends(std::string_view text)
{
    std::vector<std::size_t> ends;
    if (is_ascii_text(text)) {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') ends.push_back(i + 1);
        return ends;
    }
    UErrorCode status = U_ZERO_ERROR;
    const std::unique_ptr<UText, CloseText> source(
        utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
    expect_success(status);
    UBreakIterator& breaks = character_breaks();
    ubrk_setUText(&breaks, source.get(), &status);
    expect_success(status);
    for (std::int32_t end = ubrk_next(&breaks); end != UBRK_DONE; end = ubrk_next(&breaks))
        ends.push_back(static_cast<std::size_t>(end));
    return ends;
}

bool is_emoji(std::string_view grapheme)
{
    bool picture = false, chosen = false;
    each_code_point(grapheme, [&](char32_t c, std::size_t) {
        const auto has = [&](UProperty property) {
            return u_hasBinaryProperty(static_cast<UChar32>(c), property) != 0;
        };
        picture |= has(UCHAR_EMOJI_PRESENTATION) || has(UCHAR_REGIONAL_INDICATOR);
        chosen |= c == kEmojiSelector || c == kKeycap;
    });
    return picture || chosen;
}

bool has_emojis(std::string_view text)
{
    if (is_ascii_text(text)) return false;
    std::size_t begin = 0;
    for (const std::size_t end : grapheme_ends(text)) {
        if (is_emoji(text.substr(begin, end - begin))) return true;
        begin = end;
    }
    return false;
}

std::string without_emojis(std::string_view text)
{
    if (is_ascii_text(text)) return std::string(text);
    std::string out;
    std::size_t begin = 0;
    bool removed = false;  // just before this place
    for (const std::size_t end : grapheme_ends(text)) {
        const std::string_view one = text.substr(begin, end - begin);
        begin = end;
        if (is_emoji(one)) {
            removed = true;
            continue;
        }
        const bool at_gap = out.empty() || out.back() == ' ' || out.back() == '\n';
        if (removed && one == " " && at_gap) continue;
        if (removed && one == "\n")
            while (!out.empty() && out.back() == ' ') out.pop_back();
        removed = false;
        out += one;
    }
    if (removed)
        while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
}

}  // namespace cadre::text
