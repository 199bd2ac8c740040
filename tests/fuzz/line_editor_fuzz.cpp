// Whatever a terminal sends, and however it is cut into pieces: the message is UTF-8 without control characters, the cursor stands
// between characters, and what is drawn commands nothing but the cursor.
#include "base/utf8.hpp"
#include "cli/line_editor.hpp"
#include "expect.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace cadre;
using cli::LineEditor;

namespace {

const std::vector<std::string> kHistory{"before", "two\nlines"};

void expect_message(const LineEditor& editor)
{
    std::size_t at = 0;
    bool between = false;
    for (std::string_view rest = editor.text(); !rest.empty();) {
        between = between || at == editor.cursor();
        const std::size_t length = utf8_length(rest);
        EXPECT(length > 0);
        const auto first = static_cast<unsigned char>(rest[0]);
        EXPECT(first >= 0x20 || rest[0] == '\n' || rest[0] == '\t');
        rest.remove_prefix(length);
        at += length;
    }
    EXPECT(between || at == editor.cursor());
}

void expect_picture(std::string_view drawn)
{
    while (!drawn.empty()) {
        const std::size_t escape = drawn.find('\x1b');
        if (escape == drawn.npos) return;
        const std::size_t end = drawn.find_first_of("ACHJ", escape);
        EXPECT(end != drawn.npos);
        EXPECT(drawn.substr(escape, end - escape).find_first_not_of("\x1b[0123456789") == drawn.npos);
        drawn.remove_prefix(end + 1);
    }
}

/// Up to the first event; `step` bytes at a time.
LineEditor::Event typed(LineEditor& editor, std::string_view bytes, std::size_t step)
{
    while (!bytes.empty()) {
        std::string_view piece = bytes.substr(0, step);
        const std::size_t size = piece.size();
        const auto event = editor.take(piece);
        expect_message(editor);
        expect_picture(editor.show({.width = 20, .height = 5}));
        if (event != LineEditor::Event::none) return event;
        bytes.remove_prefix(size);
    }
    return LineEditor::Event::none;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size > 4096) return 0;
    const std::string_view bytes = fuzz::text_of(data, size);
    LineEditor whole("> ", kHistory), pieces("> ", kHistory);
    const auto event = typed(whole, bytes, bytes.size() + 1);
    EXPECT(typed(pieces, bytes, 1) == event);
    EXPECT(whole.text() == pieces.text());
    EXPECT(whole.cursor() == pieces.cursor());
    return 0;
}
