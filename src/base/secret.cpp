#include "base/secret.hpp"

#include "base/base64.hpp"
#include "base/escaped.hpp"
#include "base/peer_text.hpp"
#include "base/redact.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <atomic>
#include <bitset>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace cadre {

namespace {

constexpr std::size_t kShortestMasked = 6;   // masking shorter ones would tear ordinary text apart
constexpr std::size_t kShortestEncoded = 9;  // of shorter ones too little is sure
constexpr std::size_t kShortestHinted = 20;  // four characters of a shorter one would tell too much

bool is_plain_ascii(char c)
{
    return c > 0x20 && c < 0x7F;
}

void wipe(std::string& text)
{
    text.resize(text.capacity());  // what an earlier, longer content left behind
    OPENSSL_cleanse(text.data(), text.size());
}

/// Wipes a text on every way out.
struct Wiper {
    std::string& text;
    ~Wiper() { wipe(text); }
};

/// What is sure to be in a text in base64 that has the secret somewhere in it: it may begin at each of three places in a group.
std::vector<std::string> in_base64(std::string_view text)
{
    std::vector<std::string> all;
    if (text.size() < kShortestEncoded) return all;
    for (std::size_t before = 0; before < 3; ++before) {
        std::string padded(before, '\0');
        padded += text;
        const Wiper wiper{padded};
        for (std::string whole : {to_base64(padded), to_base64url(padded)}) {
            while (whole.ends_with('=')) whole.pop_back();
            const std::size_t first = (before * 8 + 5) / 6;  // characters that the bytes before have a part in
            const std::size_t last = padded.size() * 8 / 6;  // behind it, what follows has
            std::string sure = whole.substr(first, last - first);
            wipe(whole);
            if (std::ranges::find(all, sure) == all.end()) all.push_back(std::move(sure));
        }
    }
    return all;
}

/// The texts to mask, the longest first so that a secret inside another leaves nothing of the other behind.
class Registry {
public:
    void add(std::string_view text)
    {
        const std::unique_lock lock(mutex_);
        texts_.insert(std::ranges::upper_bound(texts_, text.size(), std::greater<>(), &std::string_view::size), text);
        for (std::string& known : in_base64(text)) encoded_.emplace_back(text.data(), std::move(known));
        any_ = true;
    }

    void remove(std::string_view text)
    {
        const std::unique_lock lock(mutex_);
        texts_.erase(std::ranges::find(texts_, text.data(), &std::string_view::data));
        std::erase_if(encoded_, [&](auto& one) {
            if (one.first != text.data()) return false;
            wipe(one.second);
            return true;
        });
        any_ = !texts_.empty();
    }

    std::vector<SecretPlace> places(std::string_view text) const
    {
        std::vector<SecretPlace> all;
        if (!any_) return all;
        const std::shared_lock lock(mutex_);
        std::bitset<256> starts;
        for (const char c : kEscapeBegins) starts.set(static_cast<unsigned char>(c));
        for (const auto known : texts_) starts.set(static_cast<unsigned char>(known[0]));
        for (const auto& [owner, known] : encoded_) starts.set(static_cast<unsigned char>(known[0]));
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view rest = text.substr(at);
            if (rest.starts_with(kMasked)) {
                at += kMasked.size();
                continue;
            }
            const std::size_t length = starts[static_cast<unsigned char>(rest[0])] ? match(rest) : 0;
            if (length > 0) all.push_back({at, at + length});
            at += std::max<std::size_t>(length, 1);
        }
        return all;
    }

    std::size_t begun(std::string_view text) const
    {
        if (!any_) return 0;
        const std::shared_lock lock(mutex_);
        std::size_t most = 0;
        const auto look = [&](std::string_view known) {
            for (std::size_t length = std::min(text.size(), known.size() - 1); length > most; --length)
                if (text.ends_with(known.substr(0, length))) most = length;
        };
        for (const auto known : texts_) look(known);
        for (const auto& [owner, known] : encoded_) look(known);
        return most;
    }

private:
    std::size_t match(std::string_view text) const
    {
        for (const auto known : texts_)
            if (const std::size_t length = escaped_length(text, known); length > 0) return length;
        for (const auto& [owner, known] : encoded_)
            if (text.starts_with(known)) return run_of_base64(text);
        return 0;
    }

    /// All of it: what is left of a text in base64 around a mask says nothing.
    static std::size_t run_of_base64(std::string_view text)
    {
        const auto is_not = [](char c) {
            return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
                     c == '/' || c == '-' || c == '_' || c == '=');
        };
        return static_cast<std::size_t>(std::ranges::find_if(text, is_not) - text.begin());
    }

    mutable std::shared_mutex mutex_;
    std::vector<std::string_view> texts_;                       // owned by the Held that added them
    std::vector<std::pair<const char*, std::string>> encoded_;  // what they look like inside of a text in base64
    std::atomic<bool> any_ = false;
};

Registry& registry()
{
    static auto& registry = *new Registry;  // never destroyed: a static Secret may die after any static registry would
    return registry;
}

}  // namespace

/// The text, registered while it lives.
class Secret::Held {
public:
    explicit Held(std::string_view text) : text_(text)
    {
        if (is_registered()) registry().add(text_);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held()
    {
        if (is_registered()) registry().remove(text_);
    }

    std::string_view text() const { return text_; }

private:
    bool is_registered() const
    {
        const bool meets_mask =
            kMasked.find(text_) != std::string_view::npos || text_.find(kMasked) != std::string::npos;
        return text_.size() >= kShortestMasked && !meets_mask;
    }

    std::string text_;
    Wiper wiper_{text_};
};

Secret::Secret(std::string text)
{
    const Wiper wiper{text};
    if (!text.empty()) held_ = std::make_shared<const Held>(text);
}

std::string_view Secret::reveal() const
{
    return held_ ? held_->text() : std::string_view();
}

std::string Secret::masked() const
{
    const std::string_view text = reveal();
    if (text.size() < kShortestHinted || !std::ranges::all_of(text, is_plain_ascii)) return std::string(kMasked);
    return std::string("…").append(text.substr(text.size() - 4));
}

bool operator==(const Secret& a, const Secret& b)
{
    const std::string_view left = a.reveal();
    const std::string_view right = b.reveal();
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::size_t begun_secret(std::string_view text)
{
    return registry().begun(text);
}

std::vector<SecretPlace> secrets_in(std::string_view text)
{
    return registry().places(text);
}

std::optional<std::string> find_masked_secrets(std::string_view text)
{
    const std::vector<SecretPlace> hidden = secrets_in(text);
    if (hidden.empty()) return std::nullopt;
    std::string out;
    std::size_t copied = 0;
    for (const SecretPlace& one : hidden) {
        out.append(text.substr(copied, one.begin - copied)).append(kMasked);
        copied = one.end;
    }
    return out.append(text.substr(copied));
}

}  // namespace cadre
