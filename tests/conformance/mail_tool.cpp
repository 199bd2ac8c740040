// mail_tool write|send|read: reads JSON, one value a line, and answers each with a line, for mail_judge_test.mjs. mail_tool receive N:
// listens for LMTP, says where, and writes N mails as they were taken.
#include "base/async.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/run.hpp"
#include "base/signal.hpp"
#include "channels/mail/lmtp_server.hpp"
#include "channels/mail/mail_reader.hpp"
#include "channels/mail/mail_writer.hpp"
#include "channels/mail/smtp.hpp"
#include "net/loop.hpp"
#include "net/tls.hpp"

#include <boost/json.hpp>

#include <iostream>
#include <string>
#include <string_view>

using namespace cadre;
using namespace cadre::channels;

namespace {

std::string text_in(const json::object& object, std::string_view name)
{
    const auto* member = object.if_contains(name);
    return member && member->is_string() ? std::string(member->get_string()) : std::string();
}

std::vector<std::string> texts_in(const json::object& object, std::string_view name)
{
    std::vector<std::string> all;
    if (const auto* list = object.if_contains(name))
        for (const json::value& one : list->as_array()) all.emplace_back(one.as_string());
    return all;
}

/// The answer to a mail.
json::value written(const json::object& ask)
{
    const std::string parent = text_in(ask, "parent");
    return json::value(mail_text({.from = {text_in(ask, "name"), "help@example.com"},
                                  .to = {text_in(ask, "to_name"), "ann@example.org"},
                                  .subject = reply_subject(text_in(ask, "subject")),
                                  .text = text_in(ask, "text"),
                                  .html = text_in(ask, "html"),
                                  .message_id = message_id_for(text_in(ask, "key"), "help@example.com"),
                                  .in_reply_to = parent,
                                  .references = reply_references(texts_in(ask, "chain"), parent),
                                  .date = Time(std::chrono::seconds(1'700'000'000))}));
}

json::value sent(const json::object& ask)
{
    const net::TlsTrust trust({.ca_file = text_in(ask, "ca_file"), .says_http = false});
    SmtpOptions options{.server = smtp_server_from(text_in(ask, "url")),
                        .trust = &trust,
                        .user = text_in(ask, "user"),
                        .password = Secret(text_in(ask, "password")),
                        .is_token = ask.contains("token")};
    net::Loop loop;
    try {
        const SendResult result =
            run(loop, submit_mail(loop, std::move(options), {text_in(ask, "from"), text_in(ask, "to")},
                                  text_in(ask, "mail")));
        constexpr const char* kKinds[] = {"accepted", "refused", "later", "unknown"};
        return {{"kind", kKinds[int(result.kind)]},
                {"code", result.code},
                {"text", result.text},
                {"wrong_secret", result.wrong_secret}};
    } catch (const Error& error) {
        return {{"kind", "error"}, {"text", error.what()}};
    }
}

json::value read(const json::object& ask)
{
    const ReadMail mail =
        read_mail(text_in(ask, "mail"), {.authserv_id = "mx.example.com", .own = {"help@example.com"}});
    json::array attachments, references;
    for (const MailAttachment& one : mail.attachments)
        attachments.push_back({{"name", one.name}, {"type", one.type}, {"size", one.size}});
    for (const std::string& id : mail.references) references.emplace_back(id);
    return {{"id", mail.id},           {"name", mail.from.name},          {"address", mail.from.address},
            {"subject", mail.subject}, {"in_reply_to", mail.in_reply_to}, {"references", references},
            {"text", mail.text},       {"attachments", attachments},      {"no_answer", mail.no_answer}};
}

struct Taken {
    std::size_t count = 0;
    bool was_busy = false;
    Signal changed{};
};

/// The first mail for `busy@` is told to come again.
Async<> take(Taken& taken, std::string to, std::string from, std::string mail)
{
    if (to.starts_with("busy@") && !std::exchange(taken.was_busy, true)) throw Error(Code::unavailable, "busy");
    read_mail(mail, {});
    std::cout << to_text(json::object{{"to", to}, {"from", from}, {"mail", mail}}) << std::endl;
    ++taken.count;
    taken.changed.notify();
    co_return;
}

Async<> until(LmtpServer& server, Taken& taken, std::size_t count)
{
    while (taken.count < count) co_await taken.changed.wait();
    co_await server.close();
}

void receive(std::size_t count)
{
    net::Loop loop;
    Taken taken;
    LmtpServer server(
        loop,
        {.place = "127.0.0.1:0",
         .knows = [](std::string_view to) { return to.ends_with("@example.com"); },
         .take = [&](std::string to, std::string from,
                     std::string mail) { return take(taken, std::move(to), std::move(from), std::move(mail)); }},
        Log(nullptr, Level::off));
    std::cout << to_text(json::value(server.name())) << std::endl;
    run(loop, until(server, taken, count));
}

}  // namespace

int main(int count, char** words)
{
    const std::string_view mode = count >= 2 ? words[1] : "";
    if (mode == "receive" && count == 3) {
        receive(std::stoul(words[2]));
        return 0;
    }
    if (mode != "write" && mode != "send" && mode != "read") return 2;
    std::ios::sync_with_stdio(false);
    try {
        for (std::string line; std::getline(std::cin, line);) {
            const json::value value = parse_json(line, {.bytes = std::size_t{1} << 28});
            const json::object& ask = value.as_object();
            std::cout << to_text(mode == "write" ? written(ask) : mode == "send" ? sent(ask) : read(ask)) << std::endl;
        }
    } catch (const Error& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
