// A coroutine that waits until the writer has committed its request.
#pragma once

#include "base/wait.hpp"
#include "storage/sqlite/group_commit.hpp"

#include <exception>
#include <functional>
#include <memory>

namespace cadre::storage {

class Writer;

/// `co_await CommitWait(writer, act)`: returns when what `act` did is durable. Cannot be cancelled, because it cannot be
/// taken back. Its frame may die before; then the request is performed all the same.
class CommitWait final : public Wait {
public:
    CommitWait(Writer& writer, std::function<void(Tables&)> act);
    ~CommitWait() { request_->waiting = nullptr; }

    void await_resume() const
    {
        finish();
        if (request_->failure) std::rethrow_exception(request_->failure);
    }

    /// From the writer's thread: wakes whoever waits for it, on its loop.
    static void report(const std::shared_ptr<Request>& request);

private:
    bool arm() override;
    bool withdraw() noexcept override { return false; }

    Writer& writer_;
    std::shared_ptr<Request> request_;
};

}  // namespace cadre::storage
