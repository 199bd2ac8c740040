#include "net/local_socket.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "base/timeout.hpp"
#include "net/await.hpp"
#include "net/loop.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace cadre::net {

namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using Protocol = asio::local::stream_protocol;
using boost::system::error_code;

constexpr std::size_t kLocalPiece = 16 << 10;
constexpr int kLocalBacklog = 128;
/// After a refusal of the kernel, which is out of something.
constexpr Millis kLocalAcceptPause{50};

[[noreturn]] void fail(std::string_view what, const fs::path& file, const std::string& why)
{
    throw Error(Code::unavailable, "cannot " + std::string(what) + " " + file.string() + ": " + why);
}

/// The file under a name that fits into a socket's address, which has room for 107 bytes: a longer path is reached through
/// its open folder.
class ShortPath {
public:
    explicit ShortPath(const fs::path& file) : text_(file.string())
    {
        if (text_.size() < sizeof(sockaddr_un::sun_path)) return;
        folder_ = ::open(file.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (folder_ < 0) fail("open", file.parent_path(), std::generic_category().message(errno));
        text_ = "/proc/self/fd/" + std::to_string(folder_) + "/" + file.filename().string();
    }
    ShortPath(const ShortPath&) = delete;
    ShortPath& operator=(const ShortPath&) = delete;
    ~ShortPath()
    {
        if (folder_ >= 0) ::close(folder_);
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
    int folder_ = -1;
};

bool is_ours(int descriptor)
{
    ucred peer{};
    socklen_t size = sizeof peer;
    return ::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

struct LocalSocket::Impl {
    explicit Impl(Protocol::socket s) : socket(std::move(s)) {}

    Protocol::socket socket;
    std::string received;      // and not returned yet
    std::size_t searched = 0;  // of it, without finding the end of a line
    std::array<char, kLocalPiece> piece;
};

LocalSocket::LocalSocket(std::unique_ptr<Impl> impl) : impl_(std::move(impl))
{}
LocalSocket::LocalSocket(LocalSocket&&) noexcept = default;
LocalSocket& LocalSocket::operator=(LocalSocket&&) noexcept = default;
LocalSocket::~LocalSocket() = default;

Async<std::optional<std::string>> LocalSocket::read_line(std::size_t longest)
{
    Impl& me = *impl_;
    while (true) {
        const std::size_t end = me.received.find('\n', me.searched);
        if (end != std::string::npos && end <= longest) {
            std::string line = me.received.substr(0, end);
            me.received.erase(0, end + 1);
            me.searched = 0;
            co_return line;
        }
        me.searched = me.received.size();
        if (me.received.size() > longest)
            throw Error(Code::too_large, "a line of more than " + std::to_string(longest) + " bytes was sent");
        const auto [error, size] = co_await me.socket.async_read_some(asio::buffer(me.piece), use_async);
        if (error) co_return std::nullopt;
        me.received.append(me.piece.data(), size);
    }
}

Async<bool> LocalSocket::write(std::string text)
{
    Impl& me = *impl_;
    for (std::size_t sent = 0; sent < text.size();) {
        const auto rest = asio::buffer(text.data() + sent, text.size() - sent);
        const auto [error, size] = co_await me.socket.async_write_some(rest, use_async);
        if (error) co_return false;
        sent += size;
    }
    co_return true;
}

void LocalSocket::close() noexcept
{
    error_code ignored;
    impl_->socket.shutdown(Protocol::socket::shutdown_both, ignored);
}

struct LocalListener::Impl {
    Impl(Loop& loop, fs::path f) : acceptor(loop.io()), file(std::move(f)) {}

    Protocol::acceptor acceptor;
    fs::path file;
};

LocalListener::LocalListener(Loop& loop, const fs::path& file) : impl_(std::make_unique<Impl>(loop, file))
{
    const ShortPath path(file);
    ::unlink(path.text().c_str());
    error_code error;
    impl_->acceptor.open(Protocol(), error);
    if (!error) impl_->acceptor.bind(Protocol::endpoint(path.text()), error);
    if (!error && ::chmod(path.text().c_str(), 0600) != 0) error = error_code(errno, boost::system::generic_category());
    if (!error) impl_->acceptor.listen(kLocalBacklog, error);
    if (error) fail("listen at", file, error.message());
}

LocalListener::~LocalListener()
{
    std::error_code ignored;
    fs::remove(impl_->file, ignored);
}

Async<LocalSocket> LocalListener::accept()
{
    Impl& me = *impl_;
    while (true) {
        Protocol::socket socket(me.acceptor.get_executor());
        const error_code error = co_await me.acceptor.async_accept(socket, use_async);
        if (error) {
            co_await sleep_for(kLocalAcceptPause);
            continue;
        }
        if (is_ours(socket.native_handle()))
            co_return LocalSocket(std::make_unique<LocalSocket::Impl>(std::move(socket)));
    }
}

Async<std::optional<LocalSocket>> connect_local(Loop& loop, fs::path file)
{
    std::error_code none;
    if (!fs::exists(fs::symlink_status(file, none))) co_return std::nullopt;
    const ShortPath path(file);
    Protocol::socket socket(loop.io());
    const error_code error = co_await socket.async_connect(Protocol::endpoint(path.text()), use_async);
    if (error || !is_ours(socket.native_handle())) co_return std::nullopt;
    co_return LocalSocket(std::make_unique<LocalSocket::Impl>(std::move(socket)));
}

}  // namespace cadre::net
