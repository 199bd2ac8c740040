#include "base/secret.hpp"

#include "base/escaped.hpp"
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
constexpr std::size_t kShortestHinted = 20;  // seven characters of a shorter one would tell too much

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

/// The texts to mask, the longest first so that a secret inside another leaves nothing of the other behind.
class Registry {
public:
    void add(std::string_view text)
    {
        const std::unique_lock lock(mutex_);
        texts_.insert(std::ranges::upper_bound(texts_, text.size(), std::greater<>(), &std::string_view::size), text);
        any_ = true;
    }

    void remove(std::string_view text)
    {
        const std::unique_lock lock(mutex_);
        texts_.erase(std::ranges::find(texts_, text.data(), &std::string_view::data));
        any_ = !texts_.empty();
    }

    std::optional<std::string> find_masked(std::string_view text) const
    {
        if (!any_) return std::nullopt;
        const std::shared_lock lock(mutex_);
        std::bitset<256> starts;
        for (const char c : kEscapeBegins) starts.set(static_cast<unsigned char>(c));
        for (const auto known : texts_) starts.set(static_cast<unsigned char>(known[0]));

        std::optional<std::string> out;
        std::size_t copied = 0;  // of the text, once something was masked
        for (std::size_t at = 0; at < text.size();) {
            const std::string_view rest = text.substr(at);
            if (rest.starts_with(kMasked)) {
                at += kMasked.size();
                continue;
            }
            const std::size_t length = starts[static_cast<unsigned char>(rest[0])] ? match(rest) : 0;
            if (length > 0) {
                if (!out) out.emplace();
                out->append(text.substr(copied, at - copied)).append(kMasked);
                copied = at + length;
            }
            at += std::max<std::size_t>(length, 1);
        }
        if (out) out->append(text.substr(copied));
        return out;
    }

private:
    std::size_t match(std::string_view text) const
    {
        for (const auto known : texts_)
            if (const std::size_t length = escaped_length(text, known); length > 0) return length;
        return 0;
    }

    mutable std::shared_mutex mutex_;
    std::vector<std::string_view> texts_;  // owned by the Held that added them
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
    return std::string(text.substr(0, 3)).append("…").append(text.substr(text.size() - 4));
}

bool operator==(const Secret& a, const Secret& b)
{
    const std::string_view left = a.reveal();
    const std::string_view right = b.reveal();
    return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::optional<std::string> find_masked_secrets(std::string_view text)
{
    return registry().find_masked(text);
}

}  // namespace cadre
