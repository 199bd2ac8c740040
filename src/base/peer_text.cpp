#include "base/peer_text.hpp"

#include "base/json.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace cadre {

void mask_peer(std::string& text)
{
    if (auto masked = find_masked_secrets(text)) text = std::move(*masked);
}

void mask_peer(json::object& object)
{
    std::vector<std::pair<std::string, std::string>> renamed;
    for (auto& member : object) {
        mask_peer(member.value());
        if (auto masked = find_masked_secrets(member.key())) renamed.emplace_back(member.key(), std::move(*masked));
    }
    for (auto& [before, after] : renamed) {
        json::value value = std::move(object.at(before));
        object.erase(before);
        object[after] = std::move(value);
    }
}

void mask_peer(json::value& value)
{
    if (auto* text = value.if_string()) {
        if (auto masked = find_masked_secrets(*text)) *text = *masked;
    } else if (auto* list = value.if_array()) {
        for (json::value& one : *list) mask_peer(one);
    } else if (auto* object = value.if_object()) {
        mask_peer(*object);
    }
}

void mask_peer(std::span<std::string* const> pieces)
{
    std::string whole;
    for (const std::string* piece : pieces) whole += *piece;
    const std::vector<SecretPlace> hidden = secrets_in(whole);
    if (hidden.empty()) return;
    std::size_t start = 0;
    for (std::string* piece : pieces) {
        const std::size_t size = piece->size();
        std::string shown;
        std::size_t at = start;
        for (const SecretPlace& one : hidden) {
            if (one.end <= start || one.begin >= start + size) continue;
            const std::size_t from = std::max(one.begin, start), to = std::min(one.end, start + size);
            shown.append(whole, at, from - at).append(kMasked);
            at = to;
        }
        shown.append(whole, at, start + size - at);
        *piece = std::move(shown);
        start += size;
    }
}

std::string PeerStream::take(std::string_view piece)
{
    held_ += piece;
    mask_peer(held_);
    const std::size_t shown = held_.size() - begun_secret(held_);
    std::string text = held_.substr(0, shown);
    held_.erase(0, shown);
    return text;
}

std::string PeerStream::end()
{
    mask_peer(held_);
    return std::exchange(held_, {});
}

}  // namespace cadre
