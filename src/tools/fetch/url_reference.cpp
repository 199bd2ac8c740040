#include "tools/fetch/url_reference.hpp"

#include "base/ascii.hpp"

#include <vector>

namespace cadre::tools {

namespace {

bool is_scheme_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '-' ||
           c == '.';
}

/// `https` of `https://…`; empty when it has none.
std::string_view scheme_of(std::string_view url)
{
    const std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || colon == 0) return {};
    for (const char c : url.substr(0, colon))
        if (!is_scheme_character(c)) return {};
    return url.substr(0, colon);
}

/// Without `.` and `..`, which do not lead above the root (RFC 3986, 5.2.4).
std::string without_dots(std::string_view path)
{
    std::vector<std::string_view> kept;
    bool is_folder = false;
    for (std::size_t start = 1; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view name = path.substr(start, end - start);
        start = end + 1;
        is_folder = name == "." || name == "..";
        if (name == ".." && !kept.empty()) kept.pop_back();
        if (!is_folder) kept.push_back(name);
    }
    std::string out;
    for (const std::string_view name : kept) out.append("/").append(name);
    if (is_folder || out.empty()) out += '/';
    return out;
}

}  // namespace

std::optional<std::string> resolve_reference(std::string_view base, std::string_view reference)
{
    reference = reference.substr(0, reference.find('#'));
    const std::string_view scheme = scheme_of(base);
    if (!scheme_of(reference).empty()) {
        const std::string own = lower(scheme_of(reference));
        if (own != "http" && own != "https") return std::nullopt;
        return std::string(reference);
    }
    if (reference.starts_with("//")) return std::string(scheme) + ":" + std::string(reference);

    const std::size_t authority = scheme.size() + 3;
    const std::size_t path_start = std::min(base.find_first_of("/?#", authority), base.size());
    const std::string origin(base.substr(0, path_start));
    std::string_view path = base.substr(path_start);
    path = path.substr(0, path.find('#'));
    if (reference.empty()) return origin + std::string(path);
    const std::string_view plain = path.substr(0, path.find('?'));
    if (reference.starts_with('?')) return origin + (plain.empty() ? "/" : std::string(plain)) + std::string(reference);

    const std::size_t query = std::min(reference.find('?'), reference.size());
    std::string whole;
    if (!reference.starts_with('/')) whole = plain.empty() ? "/" : std::string(plain.substr(0, plain.rfind('/') + 1));
    whole += reference.substr(0, query);
    return origin + without_dots(whole) + std::string(reference.substr(query));
}

}  // namespace cadre::tools
