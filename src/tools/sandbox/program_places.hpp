// How many programs of tools run at the same time: one answer of a model may ask for a thousand.
#pragma once

#include "base/async_fwd.hpp"
#include "base/signal.hpp"

#include <cstddef>
#include <utility>

namespace cadre::tools {

/// Lives on one thread, whose loops share it.
class ProgramPlaces {
public:
    /// A program that runs, or is about to.
    class Place {
    public:
        explicit Place(ProgramPlaces& places) : places_(&places) { ++places.taken_; }
        Place(Place&& other) noexcept : places_(std::exchange(other.places_, nullptr)) {}
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        Place& operator=(Place&&) = delete;
        ~Place();

    private:
        ProgramPlaces* places_;
    };

    explicit ProgramPlaces(std::size_t most) : most_(most) {}

    std::size_t most() const { return most_; }
    bool is_full() const { return taken_ >= most_; }
    /// Waits until one is free.
    Async<Place> enter();

private:
    std::size_t most_;
    std::size_t taken_ = 0;
    Signal freed_;
};

/// Twice as many as there are cores: while one waits for its files, another computes.
ProgramPlaces& program_places();

}  // namespace cadre::tools
