#include "channels/outbox.hpp"

#include "base/async.hpp"
#include "base/loop.hpp"
#include "base/timeout.hpp"
#include "model/read.hpp"
#include "tools/tool.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>

namespace cadre::channels {
namespace {

constexpr std::size_t kLargestAnswer = 4 << 20;
constexpr net::HttpPatience kPatience{.connect = Millis(10'000), .first_byte = Millis(20'000), .idle = Millis(10'000)};

std::string option(const engine::Outgoing& message, std::string_view name)
{
    const auto* text = message.options.if_contains(name);
    return text && text->is_string() ? std::string(text->get_string()) : std::string();
}

struct WholeAnswer {
    int status = 0;
    net::HttpHeaders headers{};
    std::string body{};
};

Async<WholeAnswer> fetch(net::Http& http, net::HttpRequest request)
{
    request.patience = kPatience;
    request.largest = kLargestAnswer;
    const auto reply = co_await http.send(std::move(request));
    WholeAnswer answer{.status = reply->status(), .headers = reply->headers()};
    answer.body = co_await net::read_all(*reply);
    co_return answer;
}

Async<> until(Signal& signal)
{
    co_await signal.wait();
}

std::string vendor_of(const Account& account)
{
    switch (account.vendor) {
    case model::ChannelVendor::twilio: break;
    case model::ChannelVendor::meta: return "Meta";
    case model::ChannelVendor::smtp: return "the mail server";
    }
    return "Twilio";
}

}  // namespace

const Account& account_in(const model::ChannelAccounts& all, const std::string& name)
{
    const Account* account = all.accounts.find(name);
    if (!account) throw Error(Code::not_found, "there is no channel account " + in_quotes(name));
    return *account;
}

bool Outbox::takes_key(const std::string& channel) const
{
    try {
        return account_in(*accounts_(), channel).on_unknown == model::OnUnknown::resend;
    } catch (const Error&) {
        return false;  // send() says what is wrong
    }
}

Async<bool> Outbox::is_window_open(std::string account, std::string to)
{
    const Contact contact = co_await contacts_.find(std::move(account), std::move(to));
    co_return contact.wrote_at&& loop_.clock().now() - *contact.wrote_at < kWindow;
}

Async<std::string> Outbox::refusal(engine::Outgoing message)
{
    const auto all = accounts_();
    const Account& account = account_in(*all, message.channel);
    const Contact contact = co_await contacts_.find(message.channel, message.to);
    if (contact.out) co_return "opted_out: who it is for wants no messages";
    if (!adapter_of(account.vendor).has_window(account) || account.window_template) co_return std::string();
    if (co_await is_window_open(message.channel, message.to)) co_return std::string();
    co_return "window_closed: WhatsApp takes an answer only within 24 hours of the user's last message, and the "
              "account has no "
              "window_template";
}

Async<SendResult> Outbox::post(std::string name, Letter letter)
{
    const auto all = accounts_();
    const Account& account = account_in(*all, name);
    if (account.vendor == model::ChannelVendor::smtp)
        co_return co_await post_mail(account, std::move(name), std::move(letter));
    const Adapter& adapter = adapter_of(account.vendor);
    if (!all->public_url.empty()) letter.status_url = fmt::format("{}/channels/{}/status", all->public_url, name);
    WholeAnswer answer;
    net::HttpRequest request = adapter.plan(letter, account);
    try {
        answer = co_await fetch(http_, std::move(request));
    } catch (const net::HttpError& error) {
        if (!error.dispatched()) throw tools::NotDispatched(error.code(), error.what());
        throw;
    }
    SendResult result = adapter.judge(answer.status, answer.headers, answer.body);
    if (result.wrong_secret)
        log_.error("the vendor does not take the account's secret", {{"account", name}, {"what", result.text}});
    if (result.opted_out) co_await contacts_.set_out(name, letter.to, true);
    co_return result;
}

Async<SendResult> Outbox::post_mail(const Account& account, std::string name, Letter letter)
{
    if (!mails_) throw tools::NotDispatched(Code::unavailable, "no mails can be sent here");
    std::optional<MailThread> thread;
    if (!letter.reply_to.empty())
        if (const auto found = co_await store_.find(std::string(kThreadDocument), key_for(name, letter.reply_to)))
            thread = model::from_text<MailThread>(found->text, {.ignore_unknown = true, .stored = true});
    OutgoingMail mail;
    std::string text;
    try {
        mail = mail_of(letter, account, thread ? &*thread : nullptr, loop_.clock().now());
        text = mail_text(mail);
    } catch (const Error& error) {
        co_return SendResult{.kind = SendResult::Kind::refused, .text = error.what()};
    }
    SendResult result = co_await mails_(account, letter.to, std::move(text));
    if (result.kind == SendResult::Kind::accepted) result.id = mail.message_id;
    if (result.wrong_secret)
        log_.error("the mail server does not take the account's login", {{"account", name}, {"what", result.text}});
    co_return result;
}

Async<engine::Sent> Outbox::send(engine::Outgoing message, std::string key)
{
    const auto all = accounts_();
    const Account& account = account_in(*all, message.channel);
    Letter letter{.to = message.to, .text = message.content, .key = key, .reply_to = option(message, "reply_to")};
    letter.subject = option(message, "subject");
    letter.html = option(message, "html");
    if (adapter_of(account.vendor).has_window(account) && account.window_template)
        letter.as_template = !co_await is_window_open(message.channel, message.to);
    const SendResult result = co_await post(message.channel, std::move(letter));
    const std::string said =
        fmt::format("{}{}{}", result.code, result.code.empty() || result.text.empty() ? "" : ": ", result.text);
    switch (result.kind) {
    case SendResult::Kind::accepted: break;
    case SendResult::Kind::refused:
        throw engine::SendRefused(Code::upstream, vendor_of(account) + " refuses it: " + said);
    case SendResult::Kind::later:
        throw engine::SendRefused(Code::rate_limited, vendor_of(account) + " wants it later: " + said,
                                  result.retry_after);
    case SendResult::Kind::unknown:
        throw Error(Code::upstream, vendor_of(account) + " did not say whether it took it: " + said);
    }
    // before the outcome: whoever continues after a crash in between finds it
    Delivery delivery{.account = message.channel,
                      .id = result.id,
                      .status = std::string(name_of(DeliveryStatus::accepted)),
                      .at = loop_.clock().now()};
    co_await deliveries_.note(std::move(key), std::move(delivery));
    co_return engine::Sent{result.id};
}

// ---- evidence ----

/// Whether a status names it, now or soon.
Async<bool> Outbox::is_named(std::string key, Millis patience)
{
    const Instant due = later(loop_.now(), patience);
    while (true) {
        if (co_await deliveries_.find(key)) co_return true;
        const Millis left = std::chrono::ceil<Millis>(due - loop_.now());
        if (left.count() <= 0) co_return false;
        try {
            co_await with_timeout(until(deliveries_.noted()), left, "a status");
        } catch (const Error& error) {
            if (error.code() != Code::timeout) throw;
        }
    }
}

/// The vendor's id; empty: it is not there, or that cannot be asked. `looked` says which.
Async<std::string> Outbox::find_in_list(std::string name, engine::Outgoing message, std::string key, Time since,
                                        std::string& looked)
{
    const auto all = accounts_();
    const Account& account = account_in(*all, name);
    const Adapter& adapter = adapter_of(account.vendor);
    auto request = adapter.list(message.to, since, account);
    if (!request) co_return std::string();
    std::vector<Listed> listed;
    std::string problem;
    try {
        const WholeAnswer answer = co_await fetch(http_, std::move(*request));
        if (answer.status == 200) listed = adapter.read_list(answer.body);
        else problem = fmt::format("{} answered {}", vendor_of(account), answer.status);
    } catch (const Error& error) {
        problem = error.what();
    }
    looked += problem.empty()
                  ? fmt::format(", and {}'s list of messages does not have it", vendor_of(account))
                  : fmt::format(", and {}'s list of messages cannot be read: {}", vendor_of(account), problem);
    const Time second = std::chrono::floor<std::chrono::seconds>(since);  // lists have no finer times
    std::ranges::sort(listed, {}, &Listed::created_at);
    for (const Listed& one : listed) {
        if (one.text != message.content || !one.to.ends_with(message.to) || one.created_at < second) continue;
        const std::string whose = co_await deliveries_.key_of(name, one.id);
        if (whose.empty() || whose == key) co_return one.id;
    }
    co_return std::string();
}

Async<engine::SendEvidence> Outbox::look(engine::Outgoing message, std::string key, Time since)
{
    const auto all = accounts_();
    const Account& account = account_in(*all, message.channel);
    engine::SendEvidence evidence{.give_up = account.on_unknown == model::OnUnknown::drop};
    if (co_await is_named(key, Millis(account.evidence_wait_ms))) {
        const auto delivery = co_await deliveries_.find(key);
        evidence.happened = engine::Sent{delivery->id};
        co_return evidence;
    }
    evidence.looked = fmt::format("no status named it within {}", cadre::to_text(Millis(account.evidence_wait_ms)));
    const std::string id = co_await find_in_list(message.channel, message, key, since, evidence.looked);
    if (id.empty()) co_return evidence;
    Delivery delivery{.account = message.channel,
                      .id = id,
                      .status = std::string(name_of(DeliveryStatus::accepted)),
                      .at = loop_.clock().now()};
    co_await deliveries_.note(std::move(key), std::move(delivery));
    evidence.happened = engine::Sent{id};
    co_return evidence;
}

}  // namespace cadre::channels
