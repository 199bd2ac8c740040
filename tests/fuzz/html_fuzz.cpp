// Whatever a page holds, its Markdown is UTF-8 without control characters, and no longer than allowed.
#include "base/utf8.hpp"
#include "expect.hpp"
#include "tools/fetch/page_text.hpp"

#include <string>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    constexpr std::size_t most = 4096;
    const std::string_view body = fuzz::text_of(data, size);
    for (const char* type : {"text/html", "text/html; charset=latin1", ""}) {
        const auto shown = tools::page_text(body, type, "https://a.example/b/c", false, most);
        if (!shown) continue;
        EXPECT(shown->text.size() <= most);
        std::string_view rest = shown->text;
        while (!rest.empty()) {
            const std::size_t length = utf8_length(rest);
            EXPECT(length > 0);
            if (type[0] != '\0') EXPECT(length > 1 || rest[0] == '\n' || static_cast<unsigned char>(rest[0]) >= 0x20);
            rest.remove_prefix(length);
        }
    }
    return 0;
}
