#include "home/channels.hpp"

#include "base/ascii.hpp"
#include "base/async.hpp"
#include "base/error.hpp"
#include "base/loop.hpp"
#include "home/project/project.hpp"
#include "net/loop.hpp"

#include <set>
#include <utility>

namespace cadre::home {

Channels::Channels(net::Loop& loop, storage::Store& store, net::Http& http, Projects& projects, Log log)
    : loop_(loop),
      store_(store),
      projects_(projects),
      log_(std::move(log)),
      contacts_(store),
      deliveries_(store),
      mailer_(loop),
      outbox_(
          loop, http, store, contacts_, deliveries_, [this] { return accounts(); }, log_,
          [this](model::ChannelAccount account, std::string to, std::string mail) {
              return mailer_.submit(std::move(account), std::move(to), std::move(mail));
          })
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
    listen_for_mails();
}

/// Of the accounts that listen there; empty: none has that address.
std::string Channels::account_of(const std::string& place, std::string_view address)
{
    const auto all = accounts();
    for (const auto& [name, account] : all->accounts)
        if (account.vendor == model::ChannelVendor::smtp && account.listen == place &&
            same_in_any_case(account.from, address))
            return name;
    return {};
}

void Channels::listen_for_mails()
{
    std::set<std::string> places;
    for (const auto& [name, account] : accounts()->accounts)
        if (!account.listen.empty()) places.insert(account.listen);
    for (const std::string& place : places) {
        const auto take = [this, place](std::string to, std::string return_path, std::string mail) {
            return desk().receive_mail(account_of(place, to), std::move(return_path), std::move(mail));
        };
        mail_places_.push_back(std::make_unique<channels::LmtpServer>(
            loop_,
            channels::LmtpOptions{
                .place = place,
                .knows = [this, place](std::string_view to) { return !account_of(place, to).empty(); },
                .take = take},
            log_));
        log_.info("mails are taken", {{"at", mail_places_.back()->name()}});
    }
}

channels::Desk& Channels::desk()
{
    if (!desk_) throw Error(Code::unavailable, "no messages are taken yet, or any more");
    return *desk_;
}

Async<> Channels::close()
{
    if (!desk_) co_return;
    for (const auto& place : mail_places_) co_await place->close();
    mail_places_.clear();
    const std::unique_ptr<channels::Desk> desk = std::move(desk_);
    co_await desk->close();
}

}  // namespace cadre::home
