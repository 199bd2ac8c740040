// Passages: pieces of documents that say where they stand, as searches find them, tools tell them and answers quote them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

struct Passage {
    std::string source{};   // whose: `docs/returns.md`
    std::size_t line = 1;   // where it begins there; 0: it has no lines of its own
    std::string heading{};  // under which it stands: `Returns > How long`; empty: none
    std::string text{};

    bool operator==(const Passage&) const = default;
};

/// Where it stands, as people are told it: `docs/returns.md:12 (Returns)`.
std::string place_text(const Passage& passage);

/// As a tool tells them: every line of what a document says begins with `> `, so that no text can leave its place and pass for more.
std::string to_text(const std::vector<Passage>& passages);
/// The passages of such a text, whatever stands around them.
std::vector<Passage> passages_in(std::string_view text);

/// How long a passage is about, and at most.
inline constexpr std::size_t kUsualPassage = 700, kLongestPassage = 1600;

/// A document in pieces that belong together: by its headings (Markdown's), paragraphs, lists, tables and fences. Line numbers are those of
/// `document`. Bytes that are no UTF-8 are replaced.
std::vector<Passage> split_document(std::string_view document, const std::string& source, bool has_headings);

/// The sentences of a passage, each with the line it begins in, counted from 0; items of lists and rows of tables are one each.
struct Sentence {
    std::string text{};
    std::size_t line = 0;
};
std::vector<Sentence> sentences_of(std::string_view text);

/// A text as UTF-8: what is none is replaced by U+FFFD, control characters but newline and tab by blanks.
std::string clean_text(std::string_view text);

}  // namespace cadre::text
