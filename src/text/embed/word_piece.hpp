// Texts as the tokens of BERT's uncased vocabulary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cadre::text::embed {

/// From any thread.
class WordPiece {
public:
    /// Of a tokenizer.json as Hugging Face's tokenizers write it; throws Error(invalid) that begins with `name` for any other.
    WordPiece(std::string_view json, const std::string& name);

    /// [CLS], at most `most` - 2 tokens, [SEP]. Any bytes are taken; only as much is read as is needed.
    std::vector<std::uint32_t> tokens(std::string_view text, std::size_t most) const;
    std::size_t size() const { return whole_.size() + rest_.size(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using Numbers = std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>>;

    void add_word(std::vector<std::uint32_t>& tokens, std::string_view word) const;
    std::uint32_t special(std::string_view token, const std::string& name) const;

    Numbers whole_{};  // tokens that begin a word
    Numbers rest_{};   // those that continue it, without their ##
    std::size_t longest_ = 0;
    std::uint32_t first_ = 0, last_ = 0, unknown_ = 0;
};

}  // namespace cadre::text::embed
