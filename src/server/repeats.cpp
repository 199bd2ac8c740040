#include "server/repeats.hpp"

#include "base/crash_point.hpp"
#include "model/describe.hpp"
#include "model/read.hpp"
#include "model/write.hpp"
#include "server/problem.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace cadre::server {
namespace {

constexpr std::size_t kLongestRepeatKey = 128;
constexpr std::size_t kForgottenAtOnce = 200;
constexpr int kOldestDay = 30;  // a server that was off for longer leaves some behind

/// As it is stored.
struct KeptRequest {
    std::string digest{};
    bool done = false;
    int status = 200;
    std::string location{};
    std::string text{};
    std::uint32_t since = 0;
};

const model::Entity& describe(const KeptRequest*)
{
    using namespace model;
    static const Entity entity{
        .name = "kept_request",
        .doc = "A request with an Idempotency-Key.",
        .fields = {field("digest", &KeptRequest::digest, "Of what was sent."),
                   field("done", &KeptRequest::done, "False: it has begun."),
                   field("status", &KeptRequest::status, "Of the answer."),
                   field("location", &KeptRequest::location, "Of what was made."),
                   field("text", &KeptRequest::text, "The answer."),
                   field("since", &KeptRequest::since, "How far what it changes had come when it began.")},
        .home = {Home::Kind::inside}};
    return entity;
}

/// Requests of a day stand together, so that those of days that are over can be found.
std::string place_of(const std::string& id, Time day)
{
    return to_iso(day).substr(0, 10) + "/" + id;
}

/// Whether an error says that nothing was done.
bool is_refusal(Code code)
{
    switch (code) {
    case Code::timeout:
    case Code::upstream:
    case Code::unavailable:
    case Code::cancelled:
    case Code::internal: return false;
    default: return true;
    }
}

}  // namespace

void expect_repeat_key(std::string_view key)
{
    const auto is_hidden = [](char c) { return c < '!' || c > '~'; };
    if (key.empty() || key.size() > kLongestRepeatKey || std::ranges::any_of(key, is_hidden))
        throw net::HttpRefusal(400, Code::malformed, "the Idempotency-Key must be 1 to 128 visible ASCII characters");
}

/// Others with the same key wait while it lives.
struct Repeats::Running {
    Running(Repeats& r, std::string i) : repeats(r), id(std::move(i)) { repeats.running_.insert(id); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running()
    {
        repeats.running_.erase(id);
        repeats.ended_.notify();
    }
    Repeats& repeats;
    std::string id;
};

/// What is known of a key.
struct Repeats::Before {
    std::optional<KeptAnswer> answer{};
    std::string place{};  // of its document; empty: there is none
    std::optional<std::uint32_t>
        cut_off{};  // it has begun, and nobody wrote down that it was done: how far things were then
};

/// Once whoever has the name is done.
Async<std::shared_ptr<Repeats::Running>> Repeats::turn(std::string name)
{
    while (running_.contains(name)) co_await ended_.wait();
    co_return std::make_shared<Running>(*this, std::move(name));
}

Async<KeptAnswer> Repeats::once(RepeatKey key, Repeatable deed)
{
    const auto own_turn = co_await turn(key.id);
    if (deed.hold && !key.about.empty()) deed.hold(co_await turn(key.about));
    Before before = co_await find(key);
    if (before.answer) co_return std::move(*before.answer);
    KeptRequest kept{.digest = key.digest};
    if (before.cut_off) {
        if (!deed.again)
            throw Error(Code::conflict,
                        "the server stopped while it did this before, and does not know how far it came; look at what "
                        "became of it, and send what is still needed with another Idempotency-Key");
        kept.since = *before.cut_off;
        deed.again(kept.since);
    } else {
        co_await forget_some();
        before.place = place_of(key.id, clock_.now());
        if (deed.where) kept.since = co_await deed.where();
        co_await keep(before.place, model::to_json_text(kept));
    }
    crash_point("request_begun");
    KeptAnswer answer;
    std::exception_ptr failure;
    bool is_undone = false;
    try {
        answer = co_await std::move(deed.work);
    } catch (const Error& error) {
        failure = std::current_exception();
        is_undone = is_refusal(error.code());
    }
    if (is_undone) co_await store_.remove(std::string(kRequestDocument), before.place);
    if (failure) std::rethrow_exception(failure);
    crash_point("request_done");
    kept.done = true;
    kept.status = answer.status;
    kept.location = answer.location;
    kept.text = answer.kept.value_or(answer.text);
    co_await keep(before.place, model::to_json_text(kept));
    co_return answer;
}

Async<Repeats::Before> Repeats::find(RepeatKey key)
{
    const Time now = clock_.now();
    for (const Time day : {now, now - std::chrono::days(1)}) {
        Before before{.place = place_of(key.id, day)};
        const auto document = co_await store_.find(std::string(kRequestDocument), before.place);
        if (!document) continue;
        auto kept = model::from_text<KeptRequest>(document->text, {.ignore_unknown = true});
        if (kept.digest != key.digest)
            throw Refusal(422, Code::invalid, "idempotency_key_reused",
                          "the Idempotency-Key was used for a request that said something else");
        if (!kept.done) before.cut_off = kept.since;
        else
            before.answer = KeptAnswer{
                .status = kept.status, .location = kept.location, .text = std::move(kept.text), .replayed = true};
        co_return before;
    }
    co_return Before{};
}

Async<> Repeats::keep(std::string place, std::string text)
{
    storage::Document document{std::string(kRequestDocument), std::move(place), std::move(text), clock_.now()};
    co_await store_.put(std::move(document));
}

/// A few at a time, so that no request waits for a day's worth of them.
Async<> Repeats::forget_some()
{
    const Time now = clock_.now();
    const std::string today = place_of("", now);
    if (cleaned_ == today) co_return;
    for (int ago = 2; ago <= kOldestDay; ++ago) {
        const auto old = co_await store_.list(std::string(kRequestDocument), place_of("", now - std::chrono::days(ago)),
                                              kForgottenAtOnce);
        for (const storage::Document& document : old) co_await store_.remove(document.kind, document.key);
        if (!old.empty()) co_return;
    }
    cleaned_ = today;
}

}  // namespace cadre::server
