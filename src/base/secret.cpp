#include "base/secret.hpp"

#include "base/json_writer.hpp"
#include "base/redact.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
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

// Both forms are built in one buffer that never grows: a buffer left behind would not be wiped.
std::string json_escaped(std::string_view text)
{
    std::string out;
    out.reserve(6 * text.size() + 2);
    append_json_string(out, text);
    out.pop_back();
    out.erase(0, 1);
    return out;
}

std::string url_escaped(std::string_view text)
{
    constexpr std::string_view kHex = "0123456789ABCDEF";
    constexpr std::string_view kUnreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    std::string out;
    out.reserve(3 * text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (kUnreserved.find(c) != std::string_view::npos) out += c;
        else out.append({'%', kHex[byte >> 4], kHex[byte & 0xF]});
    }
    return out;
}

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

    std::string mask(std::string_view text) const
    {
        if (!any_) return std::string(text);
        const std::shared_lock lock(mutex_);
        std::bitset<256> starts;
        for (const auto known : texts_) starts.set(static_cast<unsigned char>(known[0]));

        std::string out;
        while (!text.empty()) {
            std::size_t length = 0;
            if (text.starts_with(kMasked)) length = kMasked.size();
            else if (starts[static_cast<unsigned char>(text[0])]) length = match(text);
            out += length == 0 ? text.substr(0, 1) : kMasked;
            text.remove_prefix(std::max<std::size_t>(length, 1));
        }
        return out;
    }

private:
    std::size_t match(std::string_view text) const
    {
        const auto found = std::ranges::find_if(texts_, [&](auto known) { return text.starts_with(known); });
        return found == texts_.end() ? 0 : found->size();
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

/// The text in the forms in which it may turn up, registered while it lives.
class Secret::Held {
public:
    explicit Held(std::string_view text) : forms_{std::string(text), json_escaped(text), url_escaped(text)}
    {
        for (const auto& form : forms_)
            if (is_registered(form)) registry().add(form);
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held()
    {
        for (const auto& form : forms_)
            if (is_registered(form)) registry().remove(form);
        std::ranges::for_each(forms_, wipe);  // not before: what is registered depends on the first
    }

    std::string_view text() const { return forms_[0]; }

private:
    bool is_registered(const std::string& form) const
    {
        const bool repeats = &form != &forms_[0] && form == forms_[0];
        const bool meets_mask = kMasked.find(form) != std::string_view::npos || form.find(kMasked) != std::string::npos;
        return form.size() >= kShortestMasked && !repeats && !meets_mask;
    }

    std::array<std::string, 3> forms_;
};

Secret::Secret(std::string text)
{
    if (!text.empty()) held_ = std::make_shared<const Held>(text);
    wipe(text);
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

std::string mask_living_secrets(std::string_view text)
{
    return registry().mask(text);
}

}  // namespace cadre
