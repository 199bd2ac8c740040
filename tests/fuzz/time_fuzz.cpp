// A time that reads is written and read again as the same time; a duration that reads has a text.
#include "base/error.hpp"
#include "base/time.hpp"
#include "expect.hpp"

#include <cstring>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    try {
        const Time time = time_from_iso(text);
        EXPECT(time_from_iso(to_iso(time)) == time);
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed);
    }
    try {
        const Millis duration = duration_from(text);
        EXPECT(duration >= Millis(0));
        EXPECT(duration_from(std::to_string(duration.count()) + "ms") == duration);
        EXPECT(!to_text(duration).empty());
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed);
    }
    if (Millis::rep count = 0; size == sizeof count) {
        std::memcpy(&count, data, size);
        EXPECT(to_text(Millis(count)).size() < 40);
        try {
            EXPECT(time_from_iso(to_iso(Time(Millis(count)))) == Time(Millis(count)));
        } catch (const Error& error) {
            EXPECT(error.code() == Code::invalid);
        }
    }
    return 0;
}
