// HtmlScanner: HTML as a row of tags and texts. It takes whatever it is given, in time that grows with its length alone.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cadre::tools {

struct HtmlPiece {
    enum class Kind { text, open, close };
    Kind kind = Kind::text;
    std::string_view text{};  // with its entities
    std::string name{};       // of the tag, in lower case
    std::string href{};       // the attributes that say something to a reader, entities replaced
    std::string alt{};
};

/// `html` outlives it, and the pieces. What is in script, style and their like is passed over.
class HtmlScanner {
public:
    explicit HtmlScanner(std::string_view html) : rest_(html) {}

    /// Nothing at the end.
    std::optional<HtmlPiece> next();

private:
    std::optional<HtmlPiece> tag();
    void read_attributes(HtmlPiece& piece);
    void skip_past(std::string_view mark);
    void skip_content_of(std::string_view name);

    std::string_view rest_;
};

}  // namespace cadre::tools
