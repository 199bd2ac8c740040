// Any bytes are an answer of Anthropic's API or a named failure; how they are cut changes nothing.
#include "stream_fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    return cadre::fuzz::answer("anthropic", "claude-sonnet-4-5", cadre::fuzz::text_of(data, size));
}
