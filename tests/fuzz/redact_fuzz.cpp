// Redacting twice changes nothing more, no living secret survives in any notation, and text that was UTF-8 stays it.
#include "base/escaped.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"
#include "base/utf8.hpp"
#include "expect.hpp"

using namespace cadre;

namespace {

bool is_utf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

bool says(std::string_view text, const Secret& secret)
{
    for (; !text.empty(); text.remove_prefix(1))
        if (escaped_length(text, secret.reveal()) > 0) return true;
    return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    static const Secret plain("canary"), quoted("ca\"na ry"), wide("c\u00E4n/ary x");
    const std::string_view text = fuzz::text_of(data, size);
    const std::string shown = redact(text);
    EXPECT(redact(shown) == shown);
    EXPECT(!says(shown, plain) && !says(shown, quoted) && !says(shown, wide));
    EXPECT(shown.size() <= text.size() * (kMasked.size() + 2));
    EXPECT(!is_utf8(text) || is_utf8(shown));
    return 0;
}
