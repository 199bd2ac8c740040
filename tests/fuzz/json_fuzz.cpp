// Whatever parses reads back equal from each of its texts.
#include "base/error.hpp"
#include "base/json.hpp"
#include "expect.hpp"

#include <boost/json.hpp>

#include <string>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    json::value value;
    try {
        value = parse_json(fuzz::text_of(data, size), {.bytes = 1 << 16, .depth = 16, .nodes = 2'000});
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed || error.code() == Code::too_large);
        EXPECT(std::string_view(error.what()).size() < 200);
        return 0;
    }
    EXPECT(parse_json(to_text(value)) == value);
    EXPECT(parse_json(to_pretty_text(value)) == value);
    const std::string canonical = to_canonical_text(value);
    EXPECT(to_canonical_text(parse_json(canonical)) == canonical);
    return 0;
}
