#include "base/run.hpp"

#include "base/cancel.hpp"
#include "base/loop.hpp"

namespace cadre {

namespace {

struct Ended final : Completion {
    std::coroutine_handle<> completed() noexcept override
    {
        yes = true;
        return std::noop_coroutine();
    }
    bool yes = false;
};

}  // namespace

void run_to_end(Loop& loop, std::coroutine_handle<> work, PromiseBase& promise)
{
    CancelScope scope;
    const Context context{.loop = &loop, .scope = &scope};
    Ended ended;
    promise.complete_with(ended, &context);
    work.resume();
    loop.run_until([&] { return ended.yes; });
}

}  // namespace cadre
