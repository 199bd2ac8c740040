// For tests: a redis-server of our own, at a file and, where it is asked to, at a port with TLS. It dies with the test.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace cadre::test {

inline bool has_redis_server()
{
    return std::filesystem::exists("/usr/bin/redis-server");
}

class RedisServer {
public:
    explicit RedisServer(std::vector<std::string> options = {}) : options_(std::move(options))
    {
        std::string name = (std::filesystem::temp_directory_path() / "cadre_redis_XXXXXX").string();
        folder_ = ::mkdtemp(name.data());
        start();
    }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;
    ~RedisServer()
    {
        kill();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string file() const { return folder_ + "/redis.sock"; }
    std::string url() const { return "unix://" + file(); }

    /// Empty, as it was not told to keep anything.
    void start()
    {
        std::vector<std::string> words{
            "redis-server", "--port", "0",     "--unixsocket", file(),      "--save",        "",
            "--appendonly", "no",     "--dir", folder_,        "--logfile", folder_ + "/log"};
        words.insert(words.end(), options_.begin(), options_.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            ::execv("/usr/bin/redis-server", arguments.data());
            ::_exit(127);
        }
        for (int i = 0; i < 20'000 && !answers(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));  // sleeps: polling, up to the deadline
        REQUIRE(answers());
    }
    void kill()
    {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        pid_ = -1;
        std::filesystem::remove(file());
    }
    void freeze() { ::kill(pid_, SIGSTOP); }
    void thaw() { ::kill(pid_, SIGCONT); }

private:
    bool answers() const
    {
        const int descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        file().copy(address.sun_path, sizeof address.sun_path - 1);
        const bool is_there = ::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
        ::close(descriptor);
        return is_there;
    }

    std::vector<std::string> options_;
    std::string folder_;
    pid_t pid_ = -1;
};

}  // namespace cadre::test
