#include "channels/desk.hpp"

#include "base/async.hpp"
#include "base/crash_point.hpp"
#include "base/loop.hpp"
#include "base/timeout.hpp"
#include "base/trim.hpp"
#include "base/utf8.hpp"
#include "channels/consent_words.hpp"
#include "channels/mail/mail_letter.hpp"
#include "engine/step_id.hpp"
#include "model/write.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace cadre::channels {
namespace {

/// Of a message, and of all that one turn answers.
constexpr std::size_t kLongestText = 64 << 10;
constexpr Millis kFirstRetry{1000}, kLastRetry{60'000};
/// Meta repeats for seven days.
constexpr Millis kKeepIds = std::chrono::days{14};

std::string session_of(const WaitingMessage& message)
{
    return to_string(engine::derived_id("channel session\n" + key_for(message.account, message.sender)));
}

/// What can be a prompt: UTF-8 without zero bytes, and not without end.
std::string plain_text(std::string_view text)
{
    std::string out;
    text = text.substr(0, kLongestText);
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) out += "\xEF\xBF\xBD";
        else if (text.front() != '\0') out += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

/// Keys as the engine makes them: 32 hex digits, and `#2` for a second dispatch.
bool is_key(std::string_view text)
{
    return text.size() >= 32 && text.size() <= 40 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '#';
           });
}

}  // namespace

Desk::Desk(DeskOptions options) : options_(std::move(options)), inbox_(options_.store), scope_(options_.loop)
{}

Async<> Desk::open()
{
    open_ = true;
    std::vector<WaitingMessage> waiting = co_await inbox_.waiting();
    for (WaitingMessage& message : waiting) {
        order_ = std::max(order_, message.order + 1);
        bool settled = false;
        try {
            settled = co_await is_settled(message);
        } catch (const Error&) {}  // its account is gone, or the file faulty: it waits, and the log says why
        if (!settled) queue(std::move(message));
    }
    const std::size_t forgotten = co_await inbox_.forget_before(options_.loop.clock().now() - kKeepIds);
    if (!waiting.empty() || forgotten > 0)
        options_.log.info("channels", {{"waiting", waiting.size()}, {"forgotten", forgotten}});
}

Async<> Desk::close()
{
    co_await scope_.close();
}

std::size_t Desk::largest(const std::string& account) const
{
    return adapter_of(account_in(*options_.accounts(), account).vendor).largest();
}

std::string Desk::public_url() const
{
    return options_.accounts()->public_url;
}

Async<HookAnswer> Desk::receive(std::string name, RawRequest request)
{
    const auto all = options_.accounts();
    const Account& account = account_in(*all, name);
    const Adapter& adapter = adapter_of(account.vendor);
    if (request.method == "GET") {
        if (auto answer = adapter.handshake(request, account)) co_return *answer;
        throw NotSigned(Code::forbidden, "this is not a handshake of the account's vendor");
    }
    const Verdict verdict = adapter.verify(request, account);
    if (verdict != Verdict::good) {
        tell_unsigned(name, request.url);
        throw NotSigned(Code::forbidden, verdict == Verdict::missing ? "the request is not signed"
                                                                     : "the signature does not fit the request");
    }
    std::vector<Inbound> said = adapter.read(request);
    for (Inbound& in : said) co_await take(name, std::move(in));
    co_return adapter.acknowledge();
}

Async<> Desk::receive_mail(std::string name, std::string return_path, std::string bytes)
{
    const auto all = options_.accounts();
    const Account& account = account_in(*all, name);
    const ReadMail mail = read_mail(bytes, {.authserv_id = account.authserv_id, .own = {account.from}});
    Inbound in = inbound_of(mail, account, return_path);
    if (in.kind == InboundKind::ignored)
        options_.log.info("a mail is not answered", {{"account", name}, {"id", in.id}, {"why", in.error}});
    if (in.kind == InboundKind::message) {
        // before the message: whoever answers it finds the thread
        const MailThread thread{.subject = mail.subject, .references = mail.references};
        storage::Document document{
            .kind = std::string(kThreadDocument), .key = key_for(name, mail.id), .text = model::to_json_text(thread)};
        co_await options_.store.put(std::move(document));
    }
    co_await take(std::move(name), std::move(in));
}

/// Once a minute: where public_url is wrong, every request is refused, and this says why.
void Desk::tell_unsigned(const std::string& account, const std::string& url)
{
    const Instant now = options_.loop.now();
    if (told_at_ != Instant{} && now < later(told_at_, Millis(60'000))) return;
    told_at_ = now;
    const std::string address = url.substr(0, url.find('?'));
    options_.log.warning("a webhook was not signed for this address; is public_url right?",
                         {{"account", account}, {"url", address}});
}

Async<> Desk::take(std::string name, Inbound in)
{
    const Time now = options_.loop.clock().now();
    switch (in.kind) {
    case InboundKind::ignored:
    case InboundKind::help: co_return;
    case InboundKind::opt_out: co_return co_await options_.contacts.set_out(name, in.sender, true);
    case InboundKind::opt_in: co_return co_await options_.contacts.set_out(name, in.sender, false);
    case InboundKind::status: {
        std::string key = in.key;
        if (key.empty()) key = co_await options_.deliveries.key_of(name, in.id);
        if (!is_key(key)) co_return;  // not of a message of ours
        Delivery news{
            .account = name, .id = in.id, .status = std::string(name_of(in.status)), .error = in.error, .at = now};
        if (in.status == DeliveryStatus::failed)
            options_.log.warning("a message was not delivered", {{"account", name}, {"id", in.id}, {"why", in.error}});
        co_return co_await options_.deliveries.note(std::move(key), std::move(news));
    }
    case InboundKind::message: break;
    }
    if (trimmed(in.text, " \t\r\n\f\v").empty()) co_return;  // a picture: it cannot be read here
    WaitingMessage message{.account = std::move(name),
                           .id = std::move(in.id),
                           .sender = std::move(in.sender),
                           .name = plain_text(in.name),
                           .text = plain_text(in.text),
                           .received_at = now,
                           .order = order_++};
    co_await take_message(std::move(message));
}

Async<> Desk::take_message(WaitingMessage message)
{
    if (!co_await inbox_.add(message)) co_return;
    crash_point("message_kept");
    co_await options_.contacts.set_wrote(message.account, message.sender, message.received_at);
    if (!co_await is_settled(message) && open_) queue(std::move(message));
}

/// What begins no task: words about consent, and what looks like a machine's.
Async<bool> Desk::is_settled(WaitingMessage message)
{
    const auto all = options_.accounts();
    const Account& account = account_in(*all, message.account);
    const Contact contact = co_await options_.contacts.find(message.account, message.sender);
    const ConsentWord word = consent_word_in(message.text, account.stop_words, contact.out);
    if (word == ConsentWord::stop || word == ConsentWord::start) {
        const bool out = word == ConsentWord::stop;
        co_await options_.contacts.set_out(message.account, message.sender, out);
        if (contact.out != out) scope_.spawn(confirm(message, out ? account.stop_text : account.start_text));
    } else if (word == ConsentWord::help) {
        scope_.spawn(confirm(message, account.help_text));
    } else if (!contact.out) {
        const std::string who = key_for(message.account, message.sender);
        if (guard_.may_answer(who, message.text, account.replies_per_hour, options_.loop.clock().now()))
            co_return false;
        options_.log.warning("a sender is not answered: it writes too often, or the same again",
                             {{"account", message.account}, {"id", message.id}});
    }
    co_await inbox_.done(std::move(message), {});
    co_return true;
}

/// Once at most: it is no task's.
Async<> Desk::confirm(WaitingMessage message, std::string text)
{
    if (text.empty()) co_return;
    Letter letter{.to = message.sender, .text = std::move(text), .reply_to = message.id};
    try {
        const SendResult result = co_await options_.outbox.post(message.account, std::move(letter));
        if (result.kind == SendResult::Kind::accepted) co_return;
        options_.log.warning("a confirmation was not sent", {{"account", message.account}, {"what", result.text}});
    } catch (const Error& error) {
        options_.log.warning("a confirmation was not sent", {{"account", message.account}, {"what", error.what()}});
    }
}

void Desk::queue(WaitingMessage message)
{
    const std::string session = session_of(message);
    const auto [place, is_new] = waiting_.try_emplace(session);
    const auto is_it = [&](const WaitingMessage& one) { return one.id == message.id; };
    if (std::ranges::any_of(place->second, is_it)) return;  // it came while open() looked
    place->second.push_back(std::move(message));
    if (is_new) scope_.spawn(drain(session));
}

/// Until nothing of that sender waits any more.
Async<> Desk::drain(std::string session)
{
    Millis retry = kFirstRetry;
    while (!waiting_.at(session).empty()) {
        std::string problem;
        try {
            co_await answer(session);
            retry = kFirstRetry;
        } catch (const Error& error) {
            problem = error.what();
        }
        if (problem.empty()) continue;
        options_.log.error("a message waits, because its task cannot begin", {{"what", problem}});
        co_await sleep_for(retry);
        retry = std::min(retry * 2, kLastRetry);
    }
    waiting_.erase(session);
}

/// One turn of those that wait.
Async<> Desk::answer(std::string session)
{
    const std::string name = waiting_.at(session).front().account;
    const auto all = options_.accounts();
    const Account& account = account_in(*all, name);
    co_await sleep_for(Millis(account.merge_window_ms));
    const std::vector<WaitingMessage> messages = waiting_.at(session);
    const WaitingMessage& first = messages.front();
    Turn turn{.task = engine::derived_id("channel\n" + key_for(first.account, first.id)),
              .account = first.account,
              .sender = first.sender,
              .name = first.name,
              .session = session};
    for (const WaitingMessage& message : messages) {
        if (turn.text.size() + message.text.size() > kLongestText && !turn.ids.empty()) break;
        turn.text += (turn.text.empty() ? "" : "\n") + message.text;
        turn.ids.push_back(message.id);
    }
    const Id task = turn.task;
    const std::vector<std::string> answered = co_await options_.start(std::move(turn));
    crash_point("turn_started");
    for (const WaitingMessage& message : messages) {
        if (std::ranges::find(answered, message.id) == answered.end()) continue;
        co_await inbox_.done(message, task);
        crash_point("turn_noted");
        std::erase_if(waiting_.at(session), [&](const WaitingMessage& one) { return one.id == message.id; });
    }
}

}  // namespace cadre::channels
