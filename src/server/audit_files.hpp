// The files of the audit: one for each tenant and month, only ever appended to, each line with the hash of the one before it. What blocks
// is here; server/audit.hpp keeps it off the loop.
#pragma once

#include "server/audit_entry.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cadre::server {

/// `HOME/audit`, one process at a time. Not safe from several threads at once.
class AuditFiles {
public:
    explicit AuditFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Durable when it returns. Throws Error(unavailable), and then those of the last month are not there, or not for certain.
    void append(const std::string& tenant, const std::vector<AuditEntry>& entries);

private:
    /// The end of a tenant's audit.
    struct End {
        std::string month{};  // of the file that was written last
        Hash last{};          // line
    };

    End& end_of(const std::string& tenant);

    std::filesystem::path folder_;
    std::map<std::string, End> ends_;  // of tenants that were written for
};

/// A place in a tenant's audit: that line or what comes after it.
struct AuditPlace {
    std::string month{};  // 2026-11; empty: the beginning
    std::uint64_t offset = 0;
};

/// What is empty does not narrow.
struct AuditFilter {
    std::optional<Time> after{};
    std::optional<Time> before{};
    std::string subject{};
    std::string verb{};
    std::string kind{};
};
struct AuditPage {
    std::vector<AuditEntry> entries{};  // the oldest first
    std::optional<AuditPlace> next{};   // none: that was all
};
/// Looks through so much at most; then a page may be short, or empty, and have a next one.
AuditPage read_audit(const std::filesystem::path& folder, const std::string& tenant, const AuditFilter& filter,
                     const AuditPlace& from, std::size_t limit);

/// The first thing that is wrong with a tenant's audit, by file and line; nothing: every line follows the one before it. Months before the
/// first one that is there may have been removed.
std::optional<std::string> find_audit_fault(const std::filesystem::path& folder, const std::string& tenant);

}  // namespace cadre::server
