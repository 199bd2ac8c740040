#include "server/audit.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/pool.hpp"
#include "server/route.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace cadre::server {
namespace {

constexpr std::size_t kMostQueued = 10'000;

}  // namespace

bool is_audited(const Route& route)
{
    if (!route.act) return false;
    if (route.method == Method::get) return route.name.starts_with("export");
    // of work on tasks, only what ends it; it is never shed
    return *route.act != engine::Act::work || route.shed == Shed::never;
}

/// What waits to be written, and the thread that does it: whoever comes first takes along what has come meanwhile.
struct Audit::Writer {
    explicit Writer(std::filesystem::path folder) : files(std::move(folder)) {}

    void push(std::string tenant, AuditEntry entry)
    {
        const std::lock_guard lock(mutex);
        if (waiting >= kMostQueued) throw Error(Code::unavailable, "the audit cannot be written fast enough");
        queue[std::move(tenant)].push_back(std::move(entry));
        ++waiting;
    }

    /// On the pool's thread, one at a time. What could not be written stays, for the next one.
    void write_all()
    {
        std::map<std::string, std::vector<AuditEntry>> batch;
        {
            const std::lock_guard lock(mutex);
            batch.swap(queue);
            waiting = 0;
        }
        while (!batch.empty()) {
            try {
                files.append(batch.begin()->first, batch.begin()->second);
            } catch (...) {
                put_back(std::move(batch));
                throw;
            }
            batch.erase(batch.begin());
        }
    }

    void put_back(std::map<std::string, std::vector<AuditEntry>> batch)
    {
        const std::lock_guard lock(mutex);
        for (auto& [tenant, entries] : batch) {
            waiting += entries.size();
            std::vector<AuditEntry>& later = queue[tenant];
            later.insert(later.begin(), std::make_move_iterator(entries.begin()),
                         std::make_move_iterator(entries.end()));
        }
    }

    AuditFiles files;
    std::mutex mutex;
    std::map<std::string, std::vector<AuditEntry>> queue;  // by tenant
    std::size_t waiting = 0;
    ThreadPool readers{1};            // who reads much keeps nobody from writing
    ThreadPool pool{1, kMostQueued};  // last: its thread uses all of the above
};

Audit::Audit(std::filesystem::path folder, const Clock& clock)
    : folder_(folder), clock_(clock), writer_(std::make_unique<Writer>(std::move(folder)))
{}

Audit::~Audit() = default;

Async<> Audit::acted(std::string tenant, AuditEntry entry)
{
    entry.time = clock_.now();
    tell_counted(clock_.instant());
    writer_->push(std::move(tenant), std::move(entry));
    co_await written();
}

Async<> Audit::refused(std::string tenant, AuditEntry entry)
{
    entry.time = clock_.now();
    tell_counted(clock_.instant());
    const std::string kind =
        tenant + "\n" + entry.subject + "\n" + entry.address + "\n" + entry.kind + "\n" + entry.reason;
    Refused refused{std::move(tenant), std::move(entry)};
    if (!refusals_.tells(kind, refused, clock_.instant())) co_return;
    writer_->push(std::move(refused.tenant), std::move(refused.entry));
    co_await written();
}

Async<> Audit::flush()
{
    tell_counted(kNever);
    co_await written();
}

void Audit::tell_counted(Instant now)
{
    constexpr Millis kBetweenLooks{1'000};  // there may be many kinds
    if (now != kNever && now - looked_ < kBetweenLooks) return;
    looked_ = clock_.instant();
    for (auto& [what, count] : refusals_.take(now)) {
        what.entry.count = count;
        what.entry.time = clock_.now();
        writer_->push(std::move(what.tenant), std::move(what.entry));
    }
}

/// What was pushed before is written by this one or by one that began before it: there is one thread, and it takes all that waits.
Async<> Audit::written()
{
    Writer* const writer = writer_.get();
    co_await on(writer->pool, [writer] { writer->write_all(); });
}

Async<AuditPage> Audit::read(std::string tenant, AuditFilter filter, AuditPlace from, std::size_t limit)
{
    co_return co_await on(writer_->readers,
                          [folder = folder_, tenant = std::move(tenant), filter = std::move(filter),
                           from = std::move(from), limit] { return read_audit(folder, tenant, filter, from, limit); });
}

Async<std::optional<std::string>> Audit::find_fault(std::string tenant)
{
    co_return co_await on(writer_->readers,
                          [folder = folder_, tenant = std::move(tenant)] { return find_audit_fault(folder, tenant); });
}

}  // namespace cadre::server
