#include "schema/uri.hpp"

#include <algorithm>
#include <charconv>

namespace cadre::schema {

namespace {

struct Uri {
    std::string_view scheme{};     // with its ':'
    std::string_view authority{};  // with its "//"
    std::string_view path{};
    std::string_view query{};  // with its '?'
};

Uri parse(std::string_view text)
{
    Uri uri;
    const auto mark = text.find_first_of(":/?");
    if (mark != std::string_view::npos && mark > 0 && text[mark] == ':') {
        uri.scheme = text.substr(0, mark + 1);
        text.remove_prefix(mark + 1);
    }
    const auto question = std::min(text.find('?'), text.size());
    uri.query = text.substr(question);
    text = text.substr(0, question);
    if (text.starts_with("//")) {
        const auto slash = std::min(text.find('/', 2), text.size());
        uri.authority = text.substr(0, slash);
        text.remove_prefix(slash);
    }
    uri.path = text;
    return uri;
}

/// RFC 3986, 5.2.4
std::string without_dots(std::string_view path)
{
    std::vector<std::string_view> kept;
    const bool absolute = path.starts_with('/');
    if (absolute) path.remove_prefix(1);
    bool folder = false;  // whether the result ends in '/'
    for (std::size_t at = 0; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        const auto segment = path.substr(at, end - at);
        folder = segment == "." || segment == "..";
        if (segment == ".." && !kept.empty()) kept.pop_back();
        else if (!folder) kept.push_back(segment);
        at = end + 1;
    }
    std::string result = absolute ? "/" : "";
    for (const auto segment : kept) result.append(segment) += '/';
    if (!folder && !kept.empty()) result.pop_back();
    return result;
}

std::string merged_path(const Uri& base, std::string_view path)
{
    if (path.starts_with('/')) return without_dots(path);
    if (!base.authority.empty() && base.path.empty()) return without_dots("/" + std::string(path));
    const auto folder = base.path.substr(0, base.path.rfind('/') + 1);  // npos + 1 is 0
    return without_dots(std::string(folder).append(path));
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path, std::string_view query)
{
    return std::string(scheme).append(authority).append(path).append(query);
}

std::string percent_decoded(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned char byte = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
            result += static_cast<char>(byte);
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference)
{
    if (reference.empty()) return std::string(base_text);
    const Uri base = parse(base_text);
    const Uri uri = parse(reference);
    if (!uri.scheme.empty()) return std::string(reference);
    if (!uri.authority.empty()) return joined(base.scheme, uri.authority, without_dots(uri.path), uri.query);
    if (uri.path.empty()) return joined(base.scheme, base.authority, base.path, uri.query);
    return joined(base.scheme, base.authority, merged_path(base, uri.path), uri.query);
}

std::pair<std::string, std::string> split_fragment(std::string_view reference)
{
    const auto hash = reference.find('#');
    if (hash == std::string_view::npos) return {std::string(reference), {}};
    return {std::string(reference.substr(0, hash)), percent_decoded(reference.substr(hash + 1))};
}

std::vector<std::string> pointer_tokens(std::string_view pointer)
{
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/') tokens.emplace_back();
        else if (pointer[i] == '~' && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1'))
            tokens.back() += pointer[++i] == '0' ? '~' : '/';
        else tokens.back() += pointer[i];
    }
    return tokens;
}

void append_token(std::string& pointer, std::string_view token)
{
    pointer += '/';
    for (const char c : token) {
        if (c == '~') pointer += "~0";
        else if (c == '/') pointer += "~1";
        else pointer += c;
    }
}

}  // namespace cadre::schema
