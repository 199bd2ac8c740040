// The tokens of an encoding: which bytes each stands for, and which is joined first.
#pragma once

#include "text/encoding.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace cadre::text {

/// A token's number in its vocabulary, and its rank: lower ones are joined first.
using Token = std::uint32_t;

/// Made once, then read from any thread. Its prepared text: "CADRETOK", the number of tokens (four bytes, the lowest first), a byte
/// for the length of each, then their bytes, all in the order of the tokens. prepare/main.cpp writes it.
class Vocabulary {
public:
    /// `prepared` must live as long. Throws Error(malformed) for what is not as above, names a token twice, or lacks one for
    /// some byte.
    Vocabulary(Encoding encoding, std::string_view prepared);

    Encoding encoding() const { return encoding_; }
    std::size_t size() const { return ends_.size(); }

    std::optional<Token> find(std::string_view bytes) const;
    Token of_byte(char byte) const { return bytes_[static_cast<unsigned char>(byte)]; }
    /// Throws Error(invalid) for a number that no token has.
    std::string_view text_of(Token token) const;

private:
    void add(Token token);
    std::string_view bytes_of(Token token) const;

    Encoding encoding_;
    std::string_view all_{};              // the tokens' bytes, one behind the other
    std::vector<std::uint32_t> ends_{};   // of each token in all_
    std::vector<std::uint32_t> slots_{};  // open addressing: bits of the hash, and token + 1 below them; 0: free
    std::array<Token, 256> bytes_{};      // the token of each byte
    std::size_t longest_ = 0;
};

/// The one that this program carries, made at first use; nullptr when it was built without.
const Vocabulary* find_vocabulary(Encoding encoding);
bool has_vocabulary(Encoding encoding);

}  // namespace cadre::text
