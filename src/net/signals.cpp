#include "net/signals.hpp"

#include "base/async.hpp"
#include "net/await.hpp"
#include "net/loop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

#include <fcntl.h>

namespace cadre::net {

namespace asio = boost::asio;

struct Signals::Impl {
    explicit Impl(Loop& loop) : set(loop.io()) {}

    asio::signal_set set;
};

Signals::Signals(Loop& loop, std::initializer_list<int> numbers) : impl_(std::make_unique<Impl>(loop))
{
    for (const int number : numbers) impl_->set.add(number);
}

Signals::~Signals() = default;

Async<int> Signals::next()
{
    while (true) {
        const auto [error, number] = co_await impl_->set.async_wait(use_async);
        if (!error) co_return number;
    }
}

Async<> readable(Loop& loop, int descriptor)
{
    // a copy, so that closing it here closes nothing of the caller's
    asio::posix::stream_descriptor copy(loop.io(), ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
    co_await copy.async_wait(asio::posix::stream_descriptor::wait_read, use_async);
}

}  // namespace cadre::net
