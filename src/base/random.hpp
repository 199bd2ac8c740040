// Randomness: the machine's for ids and secrets, a seeded one for the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cadre {

class Random {
public:
    virtual ~Random() = default;
    virtual void fill(std::span<std::byte> out) = 0;

    std::uint64_t next();
    /// Uniform in [0, bound); bound must not be 0.
    std::uint64_t below(std::uint64_t bound);
};

/// Cryptographic, from the kernel; safe from any thread.
Random& system_random();

/// One seed, one sequence, on every machine (splitmix64).
class SeededRandom : public Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
    void fill(std::span<std::byte> out) override;

private:
    std::uint64_t state_;
};

}  // namespace cadre
