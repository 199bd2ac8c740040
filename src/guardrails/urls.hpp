// Addresses of the web in text, and whether their hosts are among those that are allowed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::guardrails {

struct UrlMatch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string host{};  // empty: two programs could read it differently

    bool operator==(const UrlMatch&) const = default;
};

/// `https://…` of any scheme, `//host` where an address is expected, and `www.…`, in folded text from `from` on. Each lies within a
/// run of characters that are not blanks.
std::vector<UrlMatch> find_urls(std::string_view folded, std::size_t from = 0);

/// Whether the host is one of them, or below one: `docs.example.com` is below `example.com`.
bool is_allowed(std::string_view host, std::span<const std::string> hosts);

/// Alive wherever what follows may still belong to an address (see text::pii_cut_patterns()).
inline constexpr std::string_view kUrlCutPattern = R"([^\t-\r ]+)";

}  // namespace cadre::guardrails
