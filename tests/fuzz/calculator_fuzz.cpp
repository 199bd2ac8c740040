// Any text is calculated or refused with a sentence; a number that comes out goes in again as the same number.
#include "base/error.hpp"
#include "expect.hpp"
#include "tools/builtin/calculator.hpp"

#include <string>

using namespace cadre;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    std::string result;
    try {
        result = tools::calculate(fuzz::text_of(data, size));
    } catch (const Error& error) {
        EXPECT(error.code() == Code::invalid);
        EXPECT(std::string_view(error.what()).ends_with('.') && std::string_view(error.what()).size() < 300);
        return 0;
    }
    EXPECT(!result.empty() && result.find_first_not_of("-0123456789.e+") == std::string::npos);
    EXPECT(tools::calculate(result) == result);
    return 0;
}
