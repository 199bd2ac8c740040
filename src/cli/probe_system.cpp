#include "cli/probe_system.hpp"

#include "cli/environment.hpp"
#include "cli/layout.hpp"
#include "cli/version.hpp"
#include "text/vocabulary.hpp"

#include <fmt/core.h>
#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <pwd.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <unistd.h>

namespace cadre::cli {
namespace {

constexpr std::uint64_t kEnoughFiles = 4096;
constexpr std::uint64_t kEnoughMemory = std::uint64_t{512} << 20;  // what one sandboxed tool may use

constexpr Millis kRoughStep{20};

Finding look_at_versions()
{
    const BuildInfo info = build_info();
    const std::string found = fmt::format("cadre {}, Boost {}, OpenSSL {}", info.version, info.boost, info.openssl);
    if (OpenSSL_version_num() >= OPENSSL_VERSION_NUMBER) return {.found = found};
    return {Status::warning, found + ", older than the one Cadre was built with",
            "update OpenSSL, or build Cadre again"};
}

Finding look_at_user()
{
    const uid_t id = ::geteuid();
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found);
    if (id != 0) return {.found = found ? found->pw_name : fmt::format("uid {}, which has no name", id)};
    return {Status::warning, "root; a fault in Cadre could then harm the whole machine",
            "run Cadre as a user of its own"};
}

Finding look_at_open_files()
{
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    Finding finding = judge_open_files(limit.rlim_cur, limit.rlim_max);
    if (limit.rlim_cur != RLIM_INFINITY) finding.value = {{"limit", limit.rlim_cur}};
    return finding;
}

/// The number after `name` in /proc/meminfo, which is in KiB.
std::uint64_t memory_of(const std::string& meminfo, std::string_view name)
{
    const std::size_t place = meminfo.find(name);
    return place == std::string::npos ? 0 : std::strtoull(meminfo.c_str() + place + name.size(), nullptr, 10) << 10;
}

Finding look_at_memory()
{
    const std::string meminfo = file_text("/proc/meminfo");
    const std::uint64_t total = memory_of(meminfo, "MemTotal:");
    const std::uint64_t available = memory_of(meminfo, "MemAvailable:");
    Finding finding = judge_memory(total, available);
    if (total != 0) finding.value = {{"free_bytes", available}, {"total_bytes", total}};
    return finding;
}

Finding look_at_processors()
{
    cpu_set_t usable{};
    const bool known = ::sched_getaffinity(0, sizeof usable, &usable) == 0;
    const auto number = static_cast<unsigned>(known ? CPU_COUNT(&usable) : 0);
    if (number == 0) return {.found = "the kernel does not say how many"};  // more than the 1024 that a cpu_set_t holds
    return {.found = fmt::format("{} usable", number), .value = {{"usable", number}}};
}

std::optional<bool> clock_synchronised()
{
    timex state{};  // modes 0: only asks
    const int answer = ::adjtimex(&state);
    if (answer < 0) return std::nullopt;
    return answer != TIME_ERROR && !(state.status & STA_UNSYNC);
}

/// The smallest step of a clock that can be seen from here.
template <class Read>
Monotonic::duration smallest_step(Read read, int tries)
{
    auto smallest = Monotonic::duration::max();
    for (int i = 0; i < tries; ++i) {
        const auto start = read();
        auto next = start;
        while (next == start) next = read();
        smallest = std::min<Monotonic::duration>(smallest, next - start);
    }
    return smallest;
}

Finding look_at_clock()
{
    const Clock& clock = system_clock();
    return judge_clock({.now = clock.now(),
                        .synchronised = clock_synchronised(),
                        .wall_step = smallest_step([&] { return clock.now(); }, 3),
                        .step = smallest_step([&] { return clock.instant(); }, 10),
                        .systemd = runs_systemd()});
}

Finding look_at_terminal()
{
    return judge_terminal(terminal_at(STDOUT_FILENO));
}

Finding look_at_tokens()
{
    return judge_tokens(text::has_vocabulary(text::Encoding::o200k_base));
}

constexpr Probe kSystemProbes[] = {
    {"versions", look_at_versions}, {"user", look_at_user},     {"processors", look_at_processors},
    {"memory", look_at_memory},     {"clock", look_at_clock},   {"open files", look_at_open_files},
    {"terminal", look_at_terminal}, {"tokens", look_at_tokens},
};

}  // namespace

Finding judge_open_files(std::uint64_t limit, std::uint64_t hard_limit)
{
    if (limit == RLIM_INFINITY) return {.found = "no limit"};
    const std::string found = fmt::format("at most {} at a time", limit);
    if (limit >= kEnoughFiles) return {.found = found};
    const std::string few = found + "; each connection and running tool needs some";
    if (hard_limit >= kEnoughFiles) return {Status::warning, few, fmt::format("ulimit -n {}", kEnoughFiles)};
    return {Status::warning, few, fmt::format("raise nofile to {} in /etc/security/limits.conf", kEnoughFiles)};
}

Finding judge_memory(std::uint64_t total, std::uint64_t available)
{
    if (total == 0) return {Status::warning, "unknown: /proc/meminfo cannot be read", "mount /proc"};
    const std::string found = fmt::format("{} free of {}", size_text(available), size_text(total));
    if (available >= kEnoughMemory) return {.found = found};
    return {Status::warning, found, fmt::format("free some: one tool may use up to {}", size_text(kEnoughMemory))};
}

Finding judge_clock(const ClockFacts& clock)
{
    using namespace std::chrono;
    const int year{year_month_day(floor<days>(clock.now)).year()};
    const std::string found =
        fmt::format("{} in steps of {} ms, timeouts in steps of {} ns", to_iso(floor<seconds>(clock.now)),
                    ceil<milliseconds>(clock.wall_step).count(), clock.step.count());
    const std::string fix =
        clock.systemd ? "timedatectl set-ntp true" : "the host of this container or VM must set its clock";
    if (year < 2025 || year > 2100)
        return {Status::failed, found + "; that year cannot be right, and certificates will not verify", fix};
    if (std::max(clock.wall_step, clock.step) > kRoughStep)
        return {Status::warning, found + "; deadlines will be rough", "use another clock source of the kernel"};
    if (!clock.synchronised) return {.found = found + "; synchronisation unknown"};
    if (*clock.synchronised) return {.found = found + "; synchronised"};
    return {Status::warning, found + "; not synchronised", fix};
}

Finding judge_terminal(const Terminal& terminal)
{
    const std::string colours = terminal.colours ? "colours" : "no colours";
    if (!terminal.utf8) return {Status::warning, fmt::format("no UTF-8 locale, {}", colours), "export LANG=C.UTF-8"};
    if (!terminal.present) return {.found = "UTF-8; this output goes to a file or pipe"};
    return {.found = fmt::format("UTF-8, {}", colours)};
}

Finding judge_tokens(bool exact)
{
    if (exact) return {.found = "counted exactly for o200k_base and cl100k_base, estimated for other encodings"};
    return {Status::warning, "estimated for every model: this build has no vocabularies",
            "build again where registry.npmjs.org can be reached: cmake --preset release, then ./run"};
}

std::span<const Probe> system_probes()
{
    return kSystemProbes;
}

}  // namespace cadre::cli
