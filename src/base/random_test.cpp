#include "base/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace cadre;

TEST_CASE("a seed gives splitmix64's sequence, in words and in bytes")
{
    SeededRandom words(1234567);
    for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u})
        CHECK(words.next() == expected);

    SeededRandom bytes(1234567);
    std::array<std::byte, 11> out{};
    bytes.fill(out);
    CHECK(out[0] == std::byte(6457827717110365317u & 0xFF));
    CHECK(out[8] == std::byte(3203168211198807973u & 0xFF));
}

TEST_CASE("numbers below a bound stay below it and favour none")
{
    SeededRandom random(1);
    std::array<int, 3> seen{};
    for (int i = 0; i < 30'000; ++i) ++seen.at(random.below(3));
    for (const int count : seen) CHECK(std::abs(count - 10'000) < 400);

    CHECK(random.below(1) == 0);
    // three quarters of 2^64: every third draw lies in the part that would count twice
    constexpr std::uint64_t kBound = 3ull << 62;
    int low = 0;
    for (int i = 0; i < 30'000; ++i) {
        const std::uint64_t number = random.below(kBound);
        REQUIRE(number < kBound);
        low += number < (1ull << 62);
    }
    CHECK(std::abs(low - 10'000) < 400);
}

TEST_CASE("the system's randomness repeats neither itself, nor across threads, nor after a fork")
{
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 10'000; ++i) REQUIRE(seen.insert(system_random().next()).second);

    std::vector<std::uint64_t> others(1'000);
    std::thread([&] {
        for (auto& number : others) number = system_random().next();
    }).join();
    for (const auto number : others) REQUIRE(seen.insert(number).second);

    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    if (child == 0) {
        const std::uint64_t number = system_random().next();
        _exit(write(ends[1], &number, sizeof number) == sizeof number ? 0 : 1);
    }
    std::uint64_t of_child = 0;
    CHECK(read(ends[0], &of_child, sizeof of_child) == sizeof of_child);
    CHECK(of_child != system_random().next());
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
}

TEST_CASE("requests of any size are filled to the last byte")
{
    for (const std::size_t size : {0, 1, 255, 256, 257, 5'000}) {
        CAPTURE(size);
        std::vector<std::byte> sum(size);
        for (int i = 0; i < 64; ++i) {
            std::vector<std::byte> out(size);
            system_random().fill(out);
            for (std::size_t at = 0; at < size; ++at) sum[at] |= out[at];
        }
        CHECK(std::ranges::count(sum, std::byte(0xFF)) == static_cast<std::ptrdiff_t>(size));
    }
}
