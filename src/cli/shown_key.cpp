#include "cli/shown_key.hpp"

namespace cadre::cli {
namespace {

constexpr std::string_view kEllipsis = "…";

}

std::string in_ascii(std::string_view text)
{
    std::string out;
    while (true) {
        const std::size_t place = text.find(kEllipsis);
        out += text.substr(0, place);
        if (place == text.npos) return out;
        out += "...";
        text.remove_prefix(place + kEllipsis.size());
    }
}

std::string shown_key(const Secret& key, bool utf8)
{
    return utf8 ? key.masked() : in_ascii(key.masked());
}

}  // namespace cadre::cli
