// The one place where Asio meets Async:
//     auto [error, size] = co_await socket.async_read_some(buffer, use_async);
// An error code is a value, because callers branch on it. Cancellation of the coroutine cancels the operation, waits for
// it and throws Cancelled.
#pragma once

#include "base/wait.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/recycling_allocator.hpp>

#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace cadre::net {

/// Completion token.
struct UseAsync {};
inline constexpr UseAsync use_async{};

/// What the frame and Asio's handler share of one operation. The frame may be destroyed first: then `waiting` is null, the
/// operation has been told to stop, and its result is dropped. Operations of one step on sockets and timers bear that (after
/// cancellation they touch no buffer), and resolvers; composed ones whose buffer or stream object lives in the frame
/// (`async_read_until` into a string, TLS) do not, and must be cancelled and awaited. The socket outlives the wait unmoved.
template <class Waiting>
struct Operation {
    Waiting* waiting;
    boost::asio::cancellation_signal stop;
};

template <class Initiation, class InitiationArgs, class... Results>
class AsioWait final : public Wait {
public:
    AsioWait(Initiation initiation, InitiationArgs args) : initiation_(std::move(initiation)), args_(std::move(args)) {}
    ~AsioWait()
    {
        if (!operation_) return;
        operation_->waiting = nullptr;
        if (waiting()) operation_->stop.emit(boost::asio::cancellation_type::terminal);
    }

    auto await_resume()
    {
        finish();
        if constexpr (sizeof...(Results) > 0) {
            if (stopped_ && was_aborted()) throw Cancelled{};
            if constexpr (sizeof...(Results) == 1) {
                return std::get<0>(std::move(*results_));
            } else {
                return std::move(*results_);
            }
        }
    }

private:
    using Shared = std::shared_ptr<Operation<AsioWait>>;

    struct Handler {
        using cancellation_slot_type = boost::asio::cancellation_slot;
        cancellation_slot_type get_cancellation_slot() const noexcept { return operation->stop.slot(); }

        void operator()(Results... results)
        {
            const Shared keep = std::move(operation);  // resuming may end the program's interest in everything else
            AsioWait* wait = keep->waiting;
            if (!wait) return;
            wait->results_.emplace(std::move(results)...);
            wait->resume();
        }

        Shared operation;
    };

    bool arm() override
    {
        operation_ = std::allocate_shared<Operation<AsioWait>>(boost::asio::recycling_allocator<void>());
        operation_->waiting = this;
        std::apply([&](auto&&... args) { std::move(initiation_)(Handler{operation_}, std::move(args)...); },
                   std::move(args_));
        return true;
    }
    bool withdraw() noexcept override
    {
        if (!operation_->stop.slot()
                 .has_handler()) {  // cannot be stopped, as async_resolve cannot: nobody waits for it
            operation_->waiting = nullptr;
            return true;
        }
        stopped_ = true;
        operation_->stop.emit(boost::asio::cancellation_type::terminal);
        return false;
    }
    bool was_aborted() const
    {
        using First = std::tuple_element_t<0, std::tuple<Results...>>;
        if constexpr (std::is_same_v<First, boost::system::error_code>)
            return std::get<0>(*results_) == boost::asio::error::operation_aborted;
        else return false;
    }

    Initiation initiation_;
    InitiationArgs args_;
    Shared operation_;
    std::optional<std::tuple<Results...>> results_;
    bool stopped_ = false;
};

}  // namespace cadre::net

template <class... Results>
class boost::asio::async_result<cadre::net::UseAsync, void(Results...)> {
public:
    template <class Initiation, class... Args>
    static auto initiate(Initiation initiation, cadre::net::UseAsync, Args... args)
    {
        using Wait = cadre::net::AsioWait<Initiation, std::tuple<Args...>, std::decay_t<Results>...>;
        return Wait(std::move(initiation), std::tuple<Args...>(std::move(args)...));
    }
};
