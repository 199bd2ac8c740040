#include "mcp/mock/count_file.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace cadre::mcp::mock {

namespace {

constexpr std::size_t kLongestKey = 200;

std::string line_of(const std::string& key)
{
    std::string line(utf8_prefix(key, kLongestKey));
    std::ranges::replace_if(line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return (line.empty() ? "-" : line) + "\n";
}

/// Written and read where it is called: it is one line, and a mock that lost it in a queue would prove nothing.
class CountFile {
public:
    explicit CountFile(const std::string& file)
        : name_(file), descriptor_(::open(file.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0644))
    {
        if (descriptor_ < 0) fail();
    }
    CountFile(const CountFile&) = delete;
    CountFile& operator=(const CountFile&) = delete;
    ~CountFile() { ::close(descriptor_); }

    std::int64_t add(const std::string& key)
    {
        const std::string line = line_of(key);
        ssize_t written = 0;
        do written = ::write(descriptor_, line.data(), line.size());  // whole lines: other servers may write there too
        while (written < 0 && errno == EINTR);
        if (written != static_cast<ssize_t>(line.size())) fail();
        std::array<char, 4096> piece{};
        while (true) {
            const ssize_t size = ::pread(descriptor_, piece.data(), piece.size(), seen_);
            if (size < 0 && errno == EINTR) continue;
            if (size < 0) fail();
            if (size == 0) return lines_;
            lines_ += std::count(piece.begin(), piece.begin() + size, '\n');
            seen_ += size;
        }
    }

private:
    [[noreturn]] void fail() const { throw Error(Code::unavailable, "cannot write to " + name_); }

    std::string name_;
    int descriptor_;
    off_t seen_ = 0;
    std::int64_t lines_ = 0;
};

}  // namespace

Tools::Count count_in(const std::string& file)
{
    if (file.empty()) return [count = std::int64_t{0}](const std::string&) mutable { return ++count; };
    return [counts = std::make_shared<CountFile>(file)](const std::string& key) { return counts->add(key); };
}

}  // namespace cadre::mcp::mock
