#include "base/random.hpp"

#include <openssl/crypto.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <pthread.h>
#include <sys/random.h>

namespace cadre {

namespace {

void fill_from_kernel(std::span<std::byte> out)
{
    while (!out.empty()) {
        const ssize_t got = getrandom(out.data(), out.size(), 0);
        if (got > 0) out = out.subspan(static_cast<std::size_t>(got));
        else if (errno != EINTR)
            std::abort();  // ids and secrets made from anything less would be worse than no program
    }
}

/// Bytes asked of the kernel in advance: an id then costs no system call.
struct Reserve {
    std::array<std::byte, 256> bytes;
    std::size_t left = 0;
};
thread_local Reserve reserve;

class SystemRandom : public Random {
public:
    SystemRandom()
    {
        // parent and child of a fork must not hand out the same bytes
        pthread_atfork(nullptr, nullptr, [] { reserve.left = 0; });
    }

    void fill(std::span<std::byte> out) override
    {
        if (out.size() > reserve.bytes.size()) return fill_from_kernel(out);
        if (out.size() > reserve.left) {
            fill_from_kernel(reserve.bytes);
            reserve.left = reserve.bytes.size();
        }
        reserve.left -= out.size();
        std::byte* const used = reserve.bytes.data() + reserve.left;
        std::copy_n(used, out.size(), out.data());
        OPENSSL_cleanse(used, out.size());
    }
};

}  // namespace

std::uint64_t Random::next()
{
    std::array<std::byte, 8> bytes;
    fill(bytes);
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | std::to_integer<std::uint64_t>(bytes[i]);
    return number;
}

std::uint64_t Random::below(std::uint64_t bound)
{
    assert(bound != 0);
    // the lowest 2^64 mod bound numbers would favour small results: draw again
    const std::uint64_t unfair = (0 - bound) % bound;
    std::uint64_t number = next();
    while (number < unfair) number = next();
    return number % bound;
}

Random& system_random()
{
    static SystemRandom random;
    return random;
}

void SeededRandom::fill(std::span<std::byte> out)
{
    while (!out.empty()) {
        state_ += 0x9E3779B97F4A7C15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
        mixed ^= mixed >> 31;
        const std::size_t count = std::min<std::size_t>(out.size(), 8);
        for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(mixed >> 8 * i);
        out = out.subspan(count);
    }
}

}  // namespace cadre
