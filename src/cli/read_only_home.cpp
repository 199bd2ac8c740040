#include "cli/read_only_home.hpp"

#include "base/error.hpp"
#include "base/timeout.hpp"
#include "cli/here.hpp"
#include "cli/verb_context.hpp"
#include "home/control/control_client.hpp"
#include "home/runtime.hpp"
#include "model/read.hpp"
#include "storage/home.hpp"

#include <boost/json.hpp>

#include <csignal>

namespace cadre::cli {
namespace {

/// Who only looks does not wait long for somebody who is busy.
constexpr Millis kShortPatience{500};

}  // namespace

ReadOnlyHome::ReadOnlyHome()
    : home_(home_here()), who_(engine::local_user(user_name())), store_(home::find_journal(home_))
{
    if (store_) queries_.emplace(*store_);
}

engine::Queries& ReadOnlyHome::queries()
{
    if (!queries_) expect_journal(home_);
    return *queries_;
}

storage::Store& ReadOnlyHome::store()
{
    return queries().store();
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
    try {
        const auto answer =
            co_await with_timeout(client->call(home::request_line(home::Driving::verb, who_.subject, "{}")),
                                  kShortPatience, "the owner of the home");
        if (!answer) co_return std::nullopt;
        const auto driven = model::from_json<home::TaskIds>(*answer, {.ignore_unknown = true});
        tasks.insert(driven.tasks.begin(), driven.tasks.end());
    } catch (const Error&) {
        co_return std::nullopt;
    }
    co_return tasks;
}

}  // namespace cadre::cli
