#include "text/encoding.hpp"

namespace cadre::text {

std::string_view name_of(Encoding encoding)
{
    switch (encoding) {
    case Encoding::o200k_base: return "o200k_base";
    case Encoding::cl100k_base: break;
    }
    return "cl100k_base";
}

std::optional<Encoding> find_encoding(std::string_view name)
{
    for (const Encoding encoding : {Encoding::o200k_base, Encoding::cl100k_base})
        if (name_of(encoding) == name) return encoding;
    return std::nullopt;
}

}  // namespace cadre::text
