// A configuration file as JSON, with the place of every value: YAML or JSON by its extension.
#pragma once

#include "config/finding.hpp"
#include "config/place.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::config {

struct Limits {
    std::size_t bytes = 1 << 20;
    std::size_t depth = 64;
    std::size_t nodes = 100'000;         // values and keys, after aliases were replaced
    std::size_t alias_bytes = 8u << 20;  // text that aliases may add
};

struct Document {
    std::string file;
    boost::json::value value;
    Place root;
    std::string text{};  // of the file

    /// Position of what the path names: of the name itself, or of its value.
    Position key_at(const PathSteps& path) const;
    Position value_at(const PathSteps& path) const;
    /// Position of a character of the text that the path names, counted from 1 in that text; where the file spells it in another way
    /// (escapes, folded lines) that of the whole text.
    Position inside(const PathSteps& path, std::size_t line, std::size_t column) const;
};

/// What files that we read end in. Of two that differ only in this, the first counts.
inline constexpr std::string_view kExtensions[] = {".yaml", ".yml", ".json"};
bool is_configuration(std::string_view file);

/// Reads the text of `file`. What is wrong goes to `findings`; nothing comes back when there is nothing to work with. A
/// document with duplicate keys, tags or merge keys does come back, so that the rest of it can be checked too: whoever wants
/// to use it asks whether there were errors.
std::optional<Document> load(std::string file, std::string_view text, Findings& findings, const Limits& limits = {});

}  // namespace cadre::config
