#include "cli/read_only_home.hpp"

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "cli/here.hpp"
#include "cli/verb_context.hpp"
#include "home/control/control_client.hpp"
#include "home/project/project.hpp"
#include "storage/home.hpp"

#include <boost/json.hpp>

#include <csignal>

namespace cadre::cli {
namespace {

/// Who only looks does not wait long for somebody who is busy.
constexpr Millis kShortPatience{500};

}  // namespace

ReadOnlyHome::ReadOnlyHome() : home_(home_here()), room_(home::find_journal(loop_, runtime_here()))
{}

ReadOnlyHome::~ReadOnlyHome()
{
    if (!room_) return;
    try {
        run(room_->close());
    } catch (...) {
        // nothing was under way
    }
}

home::Runtime& ReadOnlyHome::room()
{
    if (!room_) expect_journal(home_);
    return *room_;
}

Async<std::optional<std::set<Id>>> ReadOnlyHome::driven()
{
    std::set<Id> tasks;
    const auto client = co_await home::ControlClient::connect(loop_, home_, kShortPatience);
    if (!client) {
        // an owner that was killed has left its number behind
        if (const auto pid = storage::owner_pid(home_); pid && ::kill(*pid, 0) == 0) co_return std::nullopt;
        co_return tasks;
    }
    std::optional<boost::json::object> answer;
    try {
        const home::Request request{.verb = "driving"};
        answer = co_await with_timeout(client->call(request), kShortPatience, "the owner of the home");
    } catch (const Error&) {
        co_return std::nullopt;
    }
    if (!answer) co_return std::nullopt;
    for (const auto& task : answer->at("tasks").as_array()) tasks.insert(id_from(task.as_string()));
    co_return tasks;
}

}  // namespace cadre::cli
