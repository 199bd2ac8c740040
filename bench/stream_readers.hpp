// Many WebSockets, read in one thread: how far each of them is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cadre::bench {

/// Sockets whose handshake is over; they are closed with it.
class StreamReaders {
public:
    explicit StreamReaders(std::vector<int> sockets);
    StreamReaders(const StreamReaders&) = delete;
    StreamReaders& operator=(const StreamReaders&) = delete;
    ~StreamReaders();

    /// Until each has had so many frames since the beginning. Throws std::runtime_error when one is cut.
    void until(std::size_t frames);
    /// The last frame that the first socket got, as it came.
    const std::string& last() const { return last_; }

private:
    struct Reader {
        int socket = -1;
        std::string input{};
        std::size_t frames = 0;
    };

    void take(Reader& reader);

    std::vector<Reader> readers_;
    int poll_;
    std::string last_;
};

}  // namespace cadre::bench
