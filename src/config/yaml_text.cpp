#include "config/yaml_text.hpp"

#include "base/utf8.hpp"

namespace cadre::config {

std::string explained(std::string_view message)
{
    struct {
        std::string_view part, says;
    } static constexpr kWords[] = {
        {"illegal map value", "a ':' where no value can begin; quote the text if it contains ': '"},
        {"illegal tab", "a tab in the indentation; use spaces"},
        {"end of map flow not found", "a '{' is not closed, or a comma is missing"},
        {"end of sequence flow not found", "a '[' is not closed, or a comma is missing"},
        {"end of map not found", "the indentation does not fit the lines above"},
        {"end of sequence not found", "the indentation does not fit the lines above; a list's items begin with '- '"},
        {"illegal block entry", "a '- ' where no list can begin; put it on a line of its own"},
        {"illegal map key", "a key where none can begin; the indentation does not fit the lines above"},
        {"illegal EOF in scalar", "a quote is not closed"},
        {"illegal document indicator", "a quote is not closed"},
        {"illegal flow end", "a ']' or '}' that closes nothing"},
        {"unknown escape character", "an unknown escape; in double quotes write \\\\ for a backslash"},
        {"unknown token", "a character that begins nothing here; quote the text"},
        {"referenced anchor is not defined", "the alias refers to an anchor that is not defined above it"},
        {"bad file", "nested too deep"},
        {"TAG directive", "tags are not read; remove the %TAG line"},
    };
    for (const auto& word : kWords)
        if (message.find(word.part) != message.npos) return std::string(word.says);
    return std::string(utf8_prefix(message, 120));
}

bool has_tab_in_indentation(std::string_view text, std::size_t offset)
{
    const std::string_view before = text.substr(0, offset);
    const std::string_view line = text.substr(before.rfind('\n') + 1);  // npos + 1 is 0
    return line.substr(0, line.find_first_not_of(" \t")).find('\t') != line.npos;
}

std::string repaired(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) result += '\xC2';
        result += text.substr(0, length == 0 ? 1 : length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return result;
}

std::size_t find_control(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) return i;
        if (c == 0xC2 && i + 1 < text.size()) {
            const auto next = static_cast<unsigned char>(text[i + 1]);
            if (next < 0xA0 && next != 0x85) return i;
        }
    }
    return text.npos;
}

}  // namespace cadre::config
