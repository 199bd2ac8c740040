// What comes in: durable before it is acknowledged, once, in turns; over restarts too.
#include "base/run.hpp"
#include "base/sim_loop.hpp"
#include "base/timeout.hpp"
#include "channels/desk.hpp"
#include "channels/form.hpp"
#include "channels/signature.hpp"
#include "storage/memory/memory_store.hpp"
#include "tools/tool.hpp"

#include "base/base64.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace cadre;
using namespace cadre::channels;

namespace {

/// A vendor that answers what a test says.
class FakeVendor final : public net::Http {
public:
    class Reply final : public net::HttpReply {
    public:
        Reply(int status, std::string body) : status_(status), body_(std::move(body)) {}
        int status() const override { return status_; }
        const net::HttpHeaders& headers() const override { return headers_; }
        Async<std::optional<std::string_view>> read() override
        {
            if (std::exchange(read_, true)) co_return std::nullopt;
            co_return std::string_view(body_);
        }

    private:
        int status_;
        net::HttpHeaders headers_{};
        std::string body_;
        bool read_ = false;
    };

    Async<std::unique_ptr<net::HttpReply>> send(net::HttpRequest request) override
    {
        requests.push_back(request);
        co_await sleep_for(Millis(5));
        auto [status, body] = answer(request);
        co_return std::make_unique<Reply>(status, std::move(body));
    }

    std::function<std::pair<int, std::string>(const net::HttpRequest&)> answer = [n = 0](const auto&) mutable {
        return std::pair(201, R"({"sid":"SM)" + std::to_string(++n) + R"("})");
    };
    std::vector<net::HttpRequest> requests;
};

struct World {
    SimLoop loop;
    storage::MemoryStore store{{.clock = &loop.clock(), .deferred = true}};
    std::shared_ptr<model::ChannelAccounts> accounts = std::make_shared<model::ChannelAccounts>();
    FakeVendor vendor;
    std::vector<std::string> mails;  // that were sent
    SendResult mail_verdict{.kind = SendResult::Kind::accepted, .code = "250"};
    Log log{descriptor_sink(-1), Level::off};
    std::vector<Turn> turns;
    std::map<Id, std::vector<std::string>> tasks;  // the messages of each
    int faults = 0;                                // so many tasks cannot begin
    std::optional<Contacts> contacts;
    std::optional<Deliveries> deliveries;
    std::optional<Outbox> outbox;
    std::optional<Desk> desk;

    World()
    {
        accounts->public_url = "https://cadre.example";
        accounts->accounts["help"] = {.vendor = model::ChannelVendor::smtp,
                                      .channel = model::conversation::Channel::email,
                                      .url = "smtps://mail.example",
                                      .from = "help@example.com"};
        accounts->accounts["sms"] = {.account_sid = "AC1", .auth_token = "secret", .from = "+1999"};
        begin();
    }
    ~World() { end(); }

    void begin()
    {
        const FindAccounts find = [this] { return accounts; };
        contacts.emplace(store);
        deliveries.emplace(store);
        outbox.emplace(
            loop, vendor, store, *contacts, *deliveries, find, log,
            [this](const Account&, const std::string&, std::string mail) { return submit(std::move(mail)); });
        desk.emplace(DeskOptions{.loop = loop,
                                 .store = store,
                                 .contacts = *contacts,
                                 .deliveries = *deliveries,
                                 .outbox = *outbox,
                                 .accounts = find,
                                 .start = [this](Turn turn) { return start(std::move(turn)); },
                                 .log = log});
        run(loop, desk->open());
    }
    void end()
    {
        if (desk) run(loop, desk->close());
        desk.reset();
    }
    void restart()
    {
        end();
        begin();
    }

    Async<std::vector<std::string>> start(Turn turn)
    {
        co_await sleep_for(Millis(10));
        if (faults > 0 && faults-- > 0) throw Error(Code::rate_limited, "too many turns wait");
        if (const auto found = tasks.find(turn.task); found != tasks.end()) co_return found->second;
        tasks[turn.task] = turn.ids;
        turns.push_back(turn);
        co_return turn.ids;
    }

    Async<SendResult> submit(std::string mail)
    {
        mails.push_back(std::move(mail));
        co_await sleep_for(Millis(5));
        co_return mail_verdict;
    }
    void get_mail(const std::string& headers, const std::string& text,
                  const std::string& return_path = "ann@example.org")
    {
        run(loop, desk->receive_mail("help", return_path, "From: Ann <ann@example.org>\r\n" + headers + "\r\n" + text));
    }

    RawRequest signed_form(const Form& form, std::string path = "/channels/sms/webhook") const
    {
        std::map<std::string, std::string> sorted(form.begin(), form.end());
        RawRequest request{.method = "POST", .url = "https://cadre.example" + path, .body = to_text(form)};
        if (const auto query = path.find('?'); query != path.npos) request.query = path.substr(query + 1);
        std::string text = request.url;
        for (const auto& [name, value] : sorted) text += name + value;
        request.headers = {{"X-Twilio-Signature", to_base64(hmac_sha1("secret", text))}};
        return request;
    }
    HookAnswer receive(RawRequest request) { return run(loop, desk->receive("sms", std::move(request))); }
    HookAnswer hear(std::string id, std::string text, std::string from = "+1555")
    {
        return receive(
            signed_form({{"MessageSid", std::move(id)}, {"From", std::move(from)}, {"Body", std::move(text)}}));
    }
    /// Time passes.
    void pass(Millis time) { run(loop, sleep_for(time)); }
};

}  // namespace

TEST_CASE("desk: a message is acknowledged, and becomes a task after the merge window")
{
    World world;
    const HookAnswer answer = world.hear("SM1", "Check my timesheet");
    CHECK(answer.status == 200);
    CHECK(answer.body == "<Response/>");
    CHECK(world.turns.empty());
    world.pass(Millis(2000));
    REQUIRE(world.turns.size() == 1);
    CHECK(world.turns[0].text == "Check my timesheet");
    CHECK(world.turns[0].sender == "+1555");
}

TEST_CASE("desk: messages of one sender within the window are one turn, in order of arrival; others' are their own")
{
    World world;
    world.hear("SM2", "first");
    world.hear("SM3", "other", "+1666");
    world.hear("SM1", "second");
    world.pass(Millis(3000));
    REQUIRE(world.turns.size() == 2);
    CHECK(world.turns[0].text == "first\nsecond");
    CHECK(world.turns[0].ids == std::vector<std::string>{"SM2", "SM1"});
    CHECK(world.turns[1].text == "other");
    CHECK(world.turns[0].session != world.turns[1].session);
    world.hear("SM4", "third");
    world.pass(Millis(3000));
    REQUIRE(world.turns.size() == 3);
    CHECK(world.turns[2].session == world.turns[0].session);
}

TEST_CASE("desk: a message that comes twice is one turn: at once, later, and after a restart")
{
    World world;
    const RawRequest request = world.signed_form({{"MessageSid", "SM1"}, {"From", "+1555"}, {"Body", "once"}});
    int answered = 0;
    const auto ask = [](World& w, RawRequest again, int& count) -> Async<> {
        const HookAnswer answer = co_await w.desk->receive("sms", std::move(again));
        count += answer.status == 200 ? 1 : 0;
    };
    {
        AsyncScope both(world.loop);
        for (int i = 0; i < 5; ++i) both.spawn(ask(world, request, answered));
        run(world.loop, both.join());
    }
    CHECK(answered == 5);
    world.restart();
    world.receive(request);
    world.pass(Millis(3000));
    world.receive(request);
    world.restart();
    world.receive(request);
    world.pass(Millis(100'000));
    CHECK(world.turns.size() == 1);
}

TEST_CASE("desk: what was acknowledged is answered after a restart")
{
    World world;
    world.hear("SM1", "one");
    world.restart();
    world.pass(Millis(3000));
    CHECK(world.turns.size() == 1);

    // a turn that could not begin takes along what came since
    world.faults = 1;
    world.hear("SM2", "two");
    world.pass(Millis(1600));
    world.hear("SM3", "three");
    world.restart();
    world.pass(Millis(3000));
    REQUIRE(world.turns.size() == 2);
    CHECK(world.turns[1].text == "two\nthree");
}

TEST_CASE("desk: a message that a task was not made with is a turn of its own")
{
    World world;
    world.hear("SM1", "one");
    world.pass(Millis(3000));
    const Id task = world.turns.at(0).task;
    // as a process leaves it that ended before it noted that the first is dealt with
    run(world.loop, world.store.remove(std::string(kSeenDocument), key_for("sms", "SM1")));
    world.pass(Millis(31'000));
    world.hear("SM1", "one");
    world.hear("SM2", "two");
    world.pass(Millis(5000));
    REQUIRE(world.turns.size() == 2);
    CHECK(world.turns[1].text == "two");
    CHECK(world.turns[1].task != task);
}

TEST_CASE("desk: a task that cannot begin is tried again until it can")
{
    World world;
    world.faults = 3;
    world.hear("SM1", "hello");
    world.pass(Millis(3000));
    CHECK(world.turns.empty());
    world.pass(Millis(30'000));
    CHECK(world.turns.size() == 1);
}

TEST_CASE("desk: who says STOP gets a confirmation, no task and nothing more, till they say START")
{
    World world;
    world.hear("SM1", "Stop.");
    world.pass(Millis(3000));
    CHECK(world.turns.empty());
    REQUIRE(world.vendor.requests.size() == 1);
    CHECK(world.vendor.requests[0].body.find("You%20will%20get%20no%20more") != std::string::npos);
    const engine::Outgoing letter{.channel = "sms", .to = "+1555", .content = "news"};
    CHECK(run(world.loop, world.outbox->refusal(letter)).starts_with("opted_out"));
    world.restart();
    world.hear("SM1", "Stop.");  // again: the vendor repeats it
    world.hear("SM2", "anybody there?");
    world.pass(Millis(3000));
    CHECK(world.turns.empty());
    CHECK(world.vendor.requests.size() == 1);
    world.hear("SM3", "yes");
    world.hear("SM4", "anybody there now?");
    world.pass(Millis(3000));
    CHECK(run(world.loop, world.outbox->refusal(letter)) == "");
    CHECK(world.turns.size() == 1);
    // the vendor has answered these itself
    world.receive(
        world.signed_form({{"MessageSid", "SM5"}, {"From", "+1555"}, {"Body", "STOP"}, {"OptOutType", "STOP"}}));
    world.pass(Millis(3000));
    CHECK(world.vendor.requests.size() == 2);
    CHECK(run(world.loop, world.outbox->refusal(letter)).starts_with("opted_out"));
}

TEST_CASE("desk: what is not signed is refused, and nothing of it is kept")
{
    World world;
    RawRequest request = world.signed_form({{"MessageSid", "SM1"}, {"From", "+1555"}, {"Body", "hi"}});
    request.headers[0].value[0] ^= 1;
    CHECK_THROWS_AS(world.receive(request), NotSigned);
    request.headers.clear();
    CHECK_THROWS_AS(world.receive(request), NotSigned);
    CHECK_THROWS_AS(run(world.loop, world.desk->receive("other", request)), Error);
    CHECK(run(world.loop, world.store.list("", "")).empty());
    CHECK(run(world.loop, world.store.list(std::string(kWaitingDocument))).empty());
    CHECK(run(world.loop, world.store.list(std::string(kSeenDocument))).empty());
}

TEST_CASE("desk: a status is kept by the key that it names, and one that comes late changes nothing")
{
    World world;
    const std::string key(32, 'a');
    const auto tell = [&](const char* status) {
        world.receive(
            world.signed_form({{"MessageSid", "SM9"}, {"MessageStatus", status}}, "/channels/sms/status?k=" + key));
        return run(world.loop, world.deliveries->find(key))->status;
    };
    CHECK(tell("sent") == "sent");
    CHECK(tell("queued") == "sent");
    CHECK(tell("failed") == "failed");
    CHECK(tell("sent") == "failed");
    CHECK(tell("delivered") == "delivered");
    CHECK(tell("failed") == "delivered");
    CHECK(tell("read") == "read");
    CHECK(run(world.loop, world.deliveries->key_of("sms", "SM9")) == key);
    world.receive(world.signed_form({{"MessageSid", "SM9"}, {"MessageStatus", "sent"}}, "/channels/sms/status?k=../x"));
    CHECK(!run(world.loop, world.deliveries->find("../x")));
}

TEST_CASE("outbox: what became of a message is found by a status, or in the vendor's list, or not at all")
{
    World world;
    world.accounts->accounts["sms"].evidence_wait_ms = 1000;
    const engine::Outgoing letter{.channel = "sms", .to = "+1555", .content = "32/40"};
    const std::string key(32, 'b');
    const Time since = world.loop.clock().now();
    std::string list = R"({"messages":[]})";
    world.vendor.answer = [&](const net::HttpRequest&) { return std::pair(200, list); };

    auto found = run(world.loop, world.outbox->look(letter, key, since));
    CHECK(!found.happened);
    CHECK(found.looked == "no status named it within 1 s, and Twilio's list of messages does not have it");

    // of an earlier message with the same words, which is another send's
    std::string date = "Sun, 01 Jan 2090 00:00:00 +0000";
    list = R"({"messages":[{"sid":"SM1","to":"+1555","body":"32/40","date_created":")" + date + R"("}]})";
    Delivery other{.account = "sms", .id = "SM1", .status = "accepted"};
    run(world.loop, world.deliveries->note(std::string(32, 'c'), other));
    CHECK(!run(world.loop, world.outbox->look(letter, key, since)).happened);

    list = R"({"messages":[{"sid":"SM2","to":"+1555","body":"other","date_created":")" + date +
           R"("},{"sid":"SM3","to":"+1555","body":"32/40","date_created":")" + date + R"("}]})";
    found = run(world.loop, world.outbox->look(letter, key, since));
    REQUIRE(found.happened);
    CHECK(found.happened->id == "SM3");

    const std::string late(32, 'd');
    AsyncScope scope(world.loop);
    scope.spawn([](World& w, std::string k) -> Async<> {
        co_await sleep_for(Millis(500));
        Delivery news{.account = "sms", .id = "SM4", .status = "sent"};
        co_await w.deliveries->note(std::move(k), std::move(news));
    }(world, late));
    found = run(world.loop, world.outbox->look(letter, late, since));
    REQUIRE(found.happened);
    CHECK(found.happened->id == "SM4");
    run(world.loop, scope.join());

    world.accounts->accounts["sms"].on_unknown = model::OnUnknown::drop;
    world.vendor.answer = [](const net::HttpRequest&) { return std::pair(503, ""); };
    found = run(world.loop, world.outbox->look(letter, std::string(32, 'e'), since));
    CHECK(found.give_up);
    CHECK(found.looked.ends_with("cannot be read: Twilio answered 503"));
}

TEST_CASE("outbox: WhatsApp is written to within a day of the user's last message, and by a template after it")
{
    World world;
    auto& account = world.accounts->accounts["sms"];
    account = {.vendor = model::ChannelVendor::meta,
               .channel = model::conversation::Channel::whatsapp,
               .phone_number_id = "1",
               .token = "t",
               .app_secret = "s"};
    world.vendor.answer = [](const net::HttpRequest&) { return std::pair(200, R"({"messages":[{"id":"wamid.1"}]})"); };
    const engine::Outgoing letter{.channel = "sms", .to = "US.1", .content = "ready"};
    CHECK(run(world.loop, world.outbox->refusal(letter)).starts_with("window_closed"));
    run(world.loop, world.contacts->set_wrote("sms", "US.1", world.loop.clock().now()));
    CHECK(run(world.loop, world.outbox->refusal(letter)) == "");
    CHECK(run(world.loop, world.outbox->send(letter, "k")).id == "wamid.1");
    CHECK(world.vendor.requests.back().body.find(R"("type":"text")") != std::string::npos);
    world.pass(std::chrono::hours(25));
    CHECK(run(world.loop, world.outbox->refusal(letter)).starts_with("window_closed"));
    account.window_template = model::MessageTemplate{.name = "ready"};
    CHECK(run(world.loop, world.outbox->refusal(letter)) == "");
    run(world.loop, world.outbox->send(letter, "k2"));
    CHECK(world.vendor.requests.back().body.find(R"("type":"template")") != std::string::npos);
}

TEST_CASE("outbox: what a vendor says becomes what the engine understands")
{
    World world;
    const engine::Outgoing letter{.channel = "sms", .to = "+1555", .content = "x"};
    const auto send = [&](int status, std::string body) -> std::string {
        world.vendor.answer = [=](const net::HttpRequest&) { return std::pair(status, body); };
        try {
            return run(world.loop, world.outbox->send(letter, "k")).id;
        } catch (const engine::SendRefused& error) {
            return std::string(error.retry_after() ? "later: " : "refused: ") + error.what();
        } catch (const tools::NotDispatched& error) {
            return std::string("not sent: ") + error.what();
        } catch (const Error& error) {
            return std::string("unknown: ") + error.what();
        }
    };
    CHECK(send(201, R"({"sid":"SM1"})") == "SM1");
    CHECK(send(400, R"({"code":21211,"message":"no number"})") == "refused: Twilio refuses it: 21211: no number");
    CHECK(send(429, "") == "later: Twilio wants it later: Twilio answered 429");
    CHECK(send(500, "") == "unknown: Twilio did not say whether it took it: Twilio answered 500");
    CHECK(send(400, R"({"code":21610,"message":"unsubscribed"})").starts_with("refused"));
    CHECK(run(world.loop, world.contacts->find("sms", "+1555")).out);
}

TEST_CASE("desk: a mail is one turn, and its answer goes into its thread")
{
    World world;
    const std::string headers =
        "Message-ID: <m2@example.org>\r\nReferences: <m1@example.org>\r\nSubject: Re: My hours\r\n";
    world.get_mail(headers, "How many?\r\n\r\n> 32");
    world.get_mail(headers, "How many?\r\n\r\n> 32");
    world.pass(Millis(2000));
    world.restart();
    world.get_mail(headers, "How many?\r\n\r\n> 32");
    world.pass(Millis(2000));
    REQUIRE(world.turns.size() == 1);
    CHECK(world.turns[0].text == "How many?");
    CHECK(world.turns[0].sender == "ann@example.org");
    CHECK(world.turns[0].ids == std::vector<std::string>{"m2@example.org"});

    const engine::Outgoing outgoing{.channel = "help",
                                    .to = "ann@example.org",
                                    .content = "32 of 40",
                                    .options = {{"reply_to", "m2@example.org"}, {"html", "<p>32 of 40</p>"}}};
    const std::string key(32, 'a');
    CHECK(run(world.loop, world.outbox->send(outgoing, key)).id == key + "@example.com");
    REQUIRE(world.mails.size() == 1);
    const ReadMail answer = read_mail(world.mails[0], {});
    CHECK(answer.subject == "Re: My hours");
    CHECK(answer.in_reply_to == "m2@example.org");
    CHECK(answer.references == std::vector<std::string>{"m1@example.org", "m2@example.org"});
    CHECK(answer.text == "32 of 40");

    // a report on it
    run(world.loop, world.desk->receive_mail(
                        "help", "",
                        "From: MAILER-DAEMON@mx.example\r\nContent-Type: multipart/report; "
                        "report-type=delivery-status; boundary=a\r\n\r\n"
                        "--a\r\nContent-Type: message/delivery-status\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
                        "--a\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: <" +
                            key + "@example.com>\r\n\r\n--a--\r\n"));
    CHECK(run(world.loop, world.deliveries->find(key))->status == "failed");
    CHECK(world.turns.size() == 1);
}

TEST_CASE("desk: mails of machines begin no turn, and STOP is confirmed by mail")
{
    World world;
    world.get_mail("Message-ID: <a@x>\r\nAuto-Submitted: auto-replied\r\n", "I am away");
    world.get_mail("Message-ID: <b@x>\r\n", "Bounced", "");
    world.pass(Millis(2000));
    CHECK(world.turns.empty());
    CHECK(world.mails.empty());
    world.get_mail("Message-ID: <c@x>\r\nSubject: Hours\r\n", "stop\r\n");
    world.pass(Millis(2000));
    REQUIRE(world.mails.size() == 1);
    CHECK(read_mail(world.mails[0], {}).in_reply_to == "c@x");
    CHECK(
        run(world.loop, world.outbox->refusal({.channel = "help", .to = "ann@example.org"})).starts_with("opted_out"));
}

TEST_CASE("desk: what a mail server says of a mail is what the engine hears")
{
    World world;
    const auto said = [&](SendResult verdict, const std::string& to = "ann@example.org") -> std::string {
        world.mail_verdict = std::move(verdict);
        try {
            return run(world.loop,
                       world.outbox->send({.channel = "help", .to = to, .content = "x"}, std::string(32, 'b')))
                .id;
        } catch (const engine::SendRefused& refused) {
            return std::string(refused.retry_after() ? "later: " : "refused: ") + refused.what();
        } catch (const Error& error) {
            return std::string("unknown: ") + error.what();
        }
    };
    using Kind = SendResult::Kind;
    CHECK(said({.kind = Kind::refused, .code = "550", .text = "nobody"}) ==
          "refused: the mail server refuses it: 550: nobody");
    CHECK(said({.kind = Kind::later, .code = "450", .retry_after = Millis(1)}).starts_with("later: "));
    CHECK(said({.kind = Kind::unknown, .text = "cut"}) ==
          "unknown: the mail server did not say whether it took it: cut");
    const std::size_t before = world.mails.size();
    CHECK(said({.kind = Kind::accepted}, "ann@example.org\r\nBcc: eve@evil.example").starts_with("refused: "));
    CHECK(world.mails.size() == before);
    CHECK(said({.kind = Kind::accepted}) == std::string(32, 'b') + "@example.com");
}
