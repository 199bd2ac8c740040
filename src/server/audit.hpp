// The audit: what people did that others may ask about later, and what they were refused. A line is on disk before the answer goes out.
#pragma once

#include "base/async_fwd.hpp"
#include "base/time.hpp"
#include "server/audit_files.hpp"
#include "server/refusal_meter.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace cadre::server {

struct Route;

/// Whether what is done through it stands in the audit: answers, cancels, and what changes or takes away more than one's own work. Work on
/// a task stands in the task's journal, with who did it.
bool is_audited(const Route& route);

/// Lives on its loop; whoever waits for it ends before it does.
class Audit {
public:
    Audit(std::filesystem::path folder, const Clock& clock);
    Audit(const Audit&) = delete;
    Audit& operator=(const Audit&) = delete;
    ~Audit();

    /// Something was done. Throws Error(unavailable) when it cannot be written.
    Async<> acted(std::string tenant, AuditEntry entry);
    /// Something was refused: told by itself, or counted when the same happens often.
    Async<> refused(std::string tenant, AuditEntry entry);
    /// Those that were counted and not told yet.
    Async<> flush();

    /// Of a tenant, after `from`.
    Async<AuditPage> read(std::string tenant, AuditFilter filter, AuditPlace from, std::size_t limit);

    /// The first thing that is wrong with a tenant's; nothing: every line follows the one before it.
    Async<std::optional<std::string>> find_fault(std::string tenant);

private:
    struct Refused {
        std::string tenant{};
        AuditEntry entry{};
    };
    struct Writer;

    void tell_counted(Instant now);
    Async<> written();

    std::filesystem::path folder_;
    const Clock& clock_;
    RefusalMeter<Refused> refusals_;
    Instant looked_{};  // for those that were counted, last
    std::unique_ptr<Writer> writer_;
};

}  // namespace cadre::server
