// HTML as Markdown that a model can read: headings, paragraphs, lists, links, tables, code. No page can make it slow or large.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cadre::tools {

struct MarkdownText {
    std::string text{};
    bool is_cut = false;  // there was more than `most` bytes of it
};

/// `html` is UTF-8; `url` is the page's own, for its links.
MarkdownText markdown_from_html(std::string_view html, std::string_view url, std::size_t most);

}  // namespace cadre::tools
