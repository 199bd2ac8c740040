// Names and numbers of the Model Context Protocol that more than one file needs.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cadre::mcp {

/// `modern` is 2026-07-28: no handshake and no sessions, every request says who asks. `legacy` is all before it.
enum class Era : std::uint8_t { legacy, modern };

inline constexpr std::string_view kModernVersion = "2026-07-28";
/// Newest first.
inline constexpr std::array<std::string_view, 4> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                                    "2024-11-05"};

inline constexpr std::int64_t kHeaderMismatch = -32020;
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;

/// Only a server of the modern era answers with one of these.
constexpr bool is_modern_error(std::int64_t code)
{
    return code == kHeaderMismatch || code == kMissingCapability || code == kUnsupportedVersion;
}

inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaClient = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr std::string_view kMetaLogLevel = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";
/// Ours: the same on every dispatch of one call.
inline constexpr std::string_view kMetaKey = "idempotencyKey";

}  // namespace cadre::mcp
