#include "home/channels.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/loop.hpp"
#include "home/project/project.hpp"

#include <utility>

namespace cadre::home {

Channels::Channels(Loop& loop, storage::Store& store, net::Http& http, Projects& projects, Log log)
    : loop_(loop),
      store_(store),
      projects_(projects),
      log_(std::move(log)),
      contacts_(store),
      deliveries_(store),
      outbox_(loop, http, contacts_, deliveries_, [this] { return accounts(); }, log_)
{}

std::shared_ptr<const model::ChannelAccounts> Channels::accounts()
{
    const std::filesystem::path& folder = projects_.place().folder;
    try {
        projects_.open(folder);
    } catch (const Error&) {}  // what was read before holds
    auto project = projects_.current(folder);
    const model::ChannelAccounts& all = project->accounts();
    return {std::move(project), &all};
}

Async<> Channels::open(channels::StartTurn start)
{
    desk_ = std::make_unique<channels::Desk>(channels::DeskOptions{.loop = loop_,
                                                                   .store = store_,
                                                                   .contacts = contacts_,
                                                                   .deliveries = deliveries_,
                                                                   .outbox = outbox_,
                                                                   .accounts = [this] { return accounts(); },
                                                                   .start = std::move(start),
                                                                   .log = log_});
    co_await desk_->open();
}

channels::Desk& Channels::desk()
{
    if (!desk_) throw Error(Code::unavailable, "no messages are taken yet, or any more");
    return *desk_;
}

Async<> Channels::close()
{
    if (!desk_) co_return;
    const std::unique_ptr<channels::Desk> desk = std::move(desk_);
    co_await desk->close();
}

}  // namespace cadre::home
