// An id that reads has one text in each form, and each reads back as the same id.
#include "base/error.hpp"
#include "base/id.hpp"
#include "expect.hpp"

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    const std::string_view text = fuzz::text_of(data, size);
    try {
        const Id id = id_from(text);
        EXPECT(to_string(id).size() == text.size());
        EXPECT(id_from(to_string(id)) == id);
        EXPECT(id_from_prefixed("step_", to_prefixed("step_", id)) == id);
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed);
    }
    try {
        const Id id = id_from_prefixed("tc_", text);
        EXPECT(to_prefixed("tc_", id).size() == text.size());
        EXPECT(id_from(to_string(id)) == id);
    } catch (const Error& error) {
        EXPECT(error.code() == Code::malformed);
    }
    return 0;
}
