#include "server/gauges.hpp"

#include "base/async.hpp"
#include "base/metrics.hpp"
#include "engine/index_detail.hpp"
#include "home/home_owner.hpp"
#include "model/task.hpp"
#include "server/service.hpp"

#include <fstream>
#include <map>
#include <string>
#include <unistd.h>

namespace cadre::server {
namespace {

constexpr std::size_t kMostCounted = 100'000;

/// In bytes; 0 where the system does not say.
double resident_memory()
{
    std::ifstream file("/proc/self/statm");
    double pages = 0, resident = 0;
    file >> pages >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Async<> refresh_gauges(Service& service)
{
    Metrics& metrics = service.metrics;
    std::map<std::string, double> tasks;
    for (const model::EnumName& status : model::names_of(static_cast<const model::TaskStatus*>(nullptr)))
        if (!model::is_finished(static_cast<model::TaskStatus>(status.value))) tasks[std::string(status.name)] = 0;
    double questions = 0;
    for (const storage::TaskEntry& entry :
         co_await service.home.runtime().store().tasks({.open_only = true, .limit = kMostCounted})) {
        ++tasks[entry.status];
        questions += static_cast<double>(engine::detail_of(entry).questions.size());
    }
    const auto by_status = metrics.gauges("cadre_tasks", "Tasks that have not ended, of all tenants.", {"status"});
    for (const auto& [status, count] : tasks) by_status.with({status}).set(count);
    metrics.gauge("cadre_human_requests", "Open questions to people.").set(questions);
    metrics.gauge("cadre_active_tasks", "Tasks in memory.")
        .set(static_cast<double>(service.home.runtime().host().active()));
    metrics.gauges("cadre_build_info", "What runs; always 1.", {"version"}).with({service.version}).set(1);
    metrics.gauge("process_resident_memory_bytes", "Memory that the process has.").set(resident_memory());
    metrics.gauge("process_start_time_seconds", "When the server started, in seconds since 1970.")
        .set(static_cast<double>(service.started.time_since_epoch().count()) / 1000);
}

}  // namespace cadre::server
