// Desk: what comes in by webhooks. A message is durable before it is acknowledged, and becomes the task of its sender's next turn.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/id.hpp"
#include "base/log.hpp"
#include "base/time.hpp"
#include "channels/adapter.hpp"
#include "channels/inbox.hpp"
#include "channels/loop_guard.hpp"
#include "channels/outbox.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cadre::channels {

/// What one sender wrote within the merge window: answered by one task.
struct Turn {
    Id task{};  // follows from the first message
    std::string account{};
    std::string sender{};
    std::string name{};
    std::string session{};
    std::string text{};              // of all messages, a line each
    std::vector<std::string> ids{};  // theirs, as the vendor calls them
};

/// Makes the task of a turn, unless it is there already. Returns which messages it answers: those that it was made with.
using StartTurn = std::function<Async<std::vector<std::string>>(Turn turn)>;

/// The webhook is not signed, or not by the vendor.
class NotSigned : public Error {
public:
    using Error::Error;
};

struct DeskOptions {
    Loop& loop;
    storage::Store& store;
    Contacts& contacts;
    Deliveries& deliveries;
    Outbox& outbox;
    FindAccounts accounts;
    StartTurn start;
    Log log;
};

/// Lives on its loop; close() before it dies.
class Desk {
public:
    explicit Desk(DeskOptions options);

    /// From now on messages become tasks, those too that waited when the last process ended.
    Async<> open();

    /// The answer to a webhook of that account, once what it says is durable. Throws Error(not_found), NotSigned, and what
    /// Adapter::read throws.
    Async<HookAnswer> receive(std::string account, RawRequest request);
    /// A mail for that account's address, once what it says is durable; `return_path` empty: it wants no answer. Throws
    /// Error(not_found), and what read_mail() throws.
    Async<> receive_mail(std::string account, std::string return_path, std::string mail);
    /// How large a webhook of that account may be. Throws Error(not_found).
    std::size_t largest(const std::string& account) const;
    /// What vendors call.
    std::string public_url() const;

    Async<> close();

private:
    Async<> take(std::string name, Inbound in);
    Async<> take_message(WaitingMessage message);
    Async<bool> is_settled(WaitingMessage message);
    Async<> confirm(WaitingMessage message, std::string text);
    void queue(WaitingMessage message);
    Async<> drain(std::string session);
    Async<> answer(std::string session);
    void tell_unsigned(const std::string& account, const std::string& url);

    DeskOptions options_;
    Inbox inbox_;
    LoopGuard guard_;
    std::map<std::string, std::vector<WaitingMessage>> waiting_;  // by session; one drain() for each
    bool open_ = false;
    std::int64_t order_ = 0;
    Instant told_at_{};
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::channels
