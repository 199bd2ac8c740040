#include "config/document.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "config/json_places.hpp"
#include "config/text_position.hpp"
#include "config/yaml.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::config {

Position Document::key_at(const PathSteps& path) const
{
    const Found found = find(value, root, path);
    return found.exact ? found.place->key : found.place->at;
}

Position Document::value_at(const PathSteps& path) const
{
    return find(value, root, path).place->at;
}

Position Document::inside(const PathSteps& path, std::size_t line, std::size_t column) const
{
    const Found found = find(value, root, path);
    if (!found.exact || !found.value->is_string()) return found.place->at;
    return position_in_text({text, found.place->at, std::string_view(found.value->get_string())}, {line, column});
}

bool is_configuration(std::string_view file)
{
    return std::ranges::any_of(kExtensions, [&](std::string_view extension) { return file.ends_with(extension); });
}

std::optional<Document> load(std::string file, std::string_view text, Findings& findings, const Limits& limits)
{
    if (text.size() > limits.bytes) {
        findings.error(std::move(file), {},
                       fmt::format("has {} bytes; the limit is {}: split it", text.size(), limits.bytes));
        return std::nullopt;
    }
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = utf8_length(text.substr(offset));
        if (length == 0) {
            findings.error(std::move(file), Positions(text).at(offset), "bytes that are not UTF-8; save it as UTF-8");
            return std::nullopt;
        }
        offset += length;
    }
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // editors on Windows write one
    const bool is_json = file.ends_with(".json");
    auto document = is_json ? load_json(std::move(file), text, findings, limits)
                            : load_yaml(std::move(file), text, findings, limits);
    if (document) document->text = text;
    return document;
}

}  // namespace cadre::config
