#include "base/redact.hpp"

#include "base/credential.hpp"
#include "base/credential_text.hpp"
#include "base/secret.hpp"

#include <utility>

namespace cadre {

namespace {

bool is_plain(char c)
{
    return is_digit(c) || is_letter(c);
}

/// How much to copy from where no credential begins: none begins in the middle of a word, so all of one at a time.
std::size_t plain_length(std::string_view rest)
{
    return is_plain(rest[0]) ? run_length(rest, is_plain) : 1;
}

std::string mask_credentials(std::string_view rest)
{
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        // Rules look back at what was written rather than read, so that a second pass sees the same.
        const auto [keep, mask, quote] = find_credential(out, rest);
        const bool masked_before = rest.starts_with(kMasked);
        const std::size_t copied = mask > 0 ? keep : masked_before ? kMasked.size() : plain_length(rest);
        out += rest.substr(0, copied);
        if (mask > 0) out.append(quote).append(kMasked).append(quote);
        rest.remove_prefix(copied + mask);
    }
    return out;
}

}  // namespace

std::optional<std::string> find_redacted(std::string_view text)
{
    // A mask can bring another credential to light, as when it takes away the slash that seemed to end a URL's host.
    constexpr int kMaxPasses = 4;
    auto out = find_masked_secrets(text);
    for (int pass = 0; pass < kMaxPasses && holds_credential(out ? *out : text); ++pass)
        out = mask_credentials(out ? *out : text);
    return out;
}

std::string redact(std::string_view text)
{
    auto masked = find_redacted(text);
    return masked ? std::move(*masked) : std::string(text);
}

}  // namespace cadre
