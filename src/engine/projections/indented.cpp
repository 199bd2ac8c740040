#include "engine/projections/indented.hpp"

namespace cadre::engine {

namespace {

/// Behind the string whose opening quote is at `at`.
std::size_t behind_string(std::string_view json, std::size_t at)
{
    for (++at; at < json.size() && json[at] != '"'; ++at)
        if (json[at] == '\\') ++at;
    return at + 1;
}

}  // namespace

void append_indented(std::string& out, std::string_view json, std::size_t depth)
{
    const auto new_line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
    for (std::size_t at = 0; at < json.size();) {
        const char c = json[at];
        if (c == '"') {
            const std::size_t end = behind_string(json, at);
            out += json.substr(at, end - at);
            at = end;
            continue;
        }
        ++at;
        if (c == '{' || c == '[') {
            out += c;
            if (at < json.size() && (json[at] == '}' || json[at] == ']')) {
                out += json[at++];
                continue;
            }
            ++depth;
            new_line();
        } else if (c == '}' || c == ']') {
            --depth;
            new_line();
            out += c;
        } else if (c == ',') {
            out += c;
            new_line();
        } else {
            out += c;
            if (c == ':') out += ' ';
        }
    }
}

std::string indented(std::string_view json)
{
    std::string out;
    out.reserve(json.size() + json.size() / 4);
    append_indented(out, json);
    return out += '\n';
}

}  // namespace cadre::engine
