// What a tenant can be called: its name stands in paths, headers and records.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace cadre::model {

inline constexpr std::size_t kLongestTenant = 63;
inline constexpr std::string_view kTenantRule = "is not the name of a tenant: up to 63 of a-z, 0-9 and -, not - first";

constexpr bool is_tenant_name(std::string_view text)
{
    const auto is_plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    return !text.empty() && text.size() <= kLongestTenant && text.front() != '-' && std::ranges::all_of(text, is_plain);
}

}  // namespace cadre::model
