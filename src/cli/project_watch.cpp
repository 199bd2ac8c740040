#include "cli/project_watch.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "net/loop.hpp"
#include "net/signals.hpp"

#include <array>
#include <cerrno>
#include <sys/inotify.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::cli {
namespace {

namespace fs = std::filesystem;

constexpr Millis kQuiet{200};
/// Where projects have their files; what else is there may be large, and is none of ours.
constexpr const char* kWatchedFolders[] = {"", "agents", "config", "prompts", "teams", "tests", "tools", "workflows"};

/// False: it took longer.
Async<bool> stirs_within(net::Loop& loop, int descriptor, Millis limit)
{
    try {
        co_await with_timeout(net::readable(loop, descriptor), limit, "a change");
        co_return true;
    } catch (const Error& error) {
        if (error.code() != Code::timeout) throw;
    }
    co_return false;
}

}  // namespace

ProjectWatch::ProjectWatch(net::Loop& loop, fs::path folder)
    : loop_(loop), folder_(std::move(folder)), descriptor_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK))
{
    if (descriptor_ < 0)
        throw Error(Code::unavailable, "cannot watch files: " + std::generic_category().message(errno));
    watch_folders();
}

ProjectWatch::~ProjectWatch()
{
    ::close(descriptor_);
}

/// Those that are there now; a second watch of one is the same.
void ProjectWatch::watch_folders() const
{
    for (const char* name : kWatchedFolders)
        ::inotify_add_watch(descriptor_, (folder_ / name).c_str(),
                            IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_ONLYDIR);
}

void ProjectWatch::drain() const
{
    alignas(inotify_event) std::array<char, 4096> events;
    while (::read(descriptor_, events.data(), events.size()) > 0) {}
}

Async<> ProjectWatch::changed()
{
    co_await net::readable(loop_, descriptor_);
    drain();
    while (co_await stirs_within(loop_, descriptor_, kQuiet)) drain();
    watch_folders();
}

}  // namespace cadre::cli
