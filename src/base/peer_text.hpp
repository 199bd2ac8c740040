// What a peer says, before anybody else hears of it: our own secrets that it repeats are masked here, once, at the entrance.
#pragma once

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {

/// Masks every living Secret in the text: as it is, escaped as in JSON or URLs, or in base64.
void mask_peer(std::string& text);
/// In all texts of it, and in all names of members.
void mask_peer(boost::json::value& value);
void mask_peer(boost::json::object& object);
/// The same in texts that are read one after the other: a secret may begin in one and end in the next.
void mask_peer(std::span<std::string* const> pieces);

/// A text that comes in pieces. What may be the beginning of a secret is held back until the next piece tells.
class PeerStream {
public:
    /// What can be shown now.
    std::string take(std::string_view piece);
    /// The rest.
    std::string end();

private:
    std::string held_;
};

/// Where in a text a living Secret stands.
struct SecretPlace {
    std::size_t begin = 0, end = 0;
};
std::vector<SecretPlace> secrets_in(std::string_view text);
/// How many characters at the end of `text` may be the beginning of a living Secret; 0: none.
std::size_t begun_secret(std::string_view text);

}  // namespace cadre
