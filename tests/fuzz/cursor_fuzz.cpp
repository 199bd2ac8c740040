// No text is a cursor but those that we made, each for its own list; and those come back as they were.
#include "expect.hpp"
#include "server/page.hpp"
#include "server/problem.hpp"

#include <algorithm>
#include <string>

using namespace cadre;
using namespace cadre::server;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    constexpr std::string_view kSecret = "a secret of the server", kList = R"({"status":["running"]})";
    const std::string_view text = fuzz::text_of(data, size);
    const auto is_refused = [&](auto read) {
        try {
            read();
        } catch (const Refusal& refusal) {
            return refusal.status() == 400 && refusal.reason() == "bad_cursor";
        }
        return false;
    };
    EXPECT(is_refused([&] { cursor_from(text, kList, kSecret); }));
    EXPECT(is_refused([&] { place_in(text, kList, kSecret); }));

    const std::string sealed = sealed_place(std::string(text), kList, kSecret);
    EXPECT(place_in(sealed, kList, kSecret) == text);
    if (text != kList) EXPECT(is_refused([&] { place_in(sealed, text, kSecret); }));
    if (text != kSecret) EXPECT(is_refused([&] { place_in(sealed, kList, text); }));

    storage::TaskCursor cursor;
    std::copy_n(data, std::min(size, cursor.task.bytes.size()), cursor.task.bytes.begin());
    cursor.created_at = Time(Millis(static_cast<std::int64_t>(size)));
    try {
        const storage::TaskCursor back = cursor_from(cursor_text(cursor, text, kSecret), text, kSecret);
        EXPECT(back.task == cursor.task && back.created_at == cursor.created_at);
    } catch (const Refusal&) {
        EXPECT(!find_id(to_string(cursor.task)));  // not every 16 bytes are an id
    }
    return 0;
}
