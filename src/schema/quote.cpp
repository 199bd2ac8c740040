#include "schema/quote.hpp"

#include "base/json_writer.hpp"
#include "base/utf8.hpp"

namespace cadre::schema {

std::string quoted_whole(std::string_view text)
{
    constexpr std::size_t longest = 300;
    std::string out;
    append_json_string(out, utf8_prefix(text, longest));
    if (text.size() > longest) out.insert(out.size() - 1, "…");
    return out;
}

}  // namespace cadre::schema
