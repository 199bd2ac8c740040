#include "tools/sandbox/program_places.hpp"

#include "base/async.hpp"

#include <algorithm>
#include <thread>

namespace cadre::tools {

ProgramPlaces::Place::~Place()
{
    if (!places_) return;
    --places_->taken_;
    places_->freed_.notify();
}

Async<ProgramPlaces::Place> ProgramPlaces::enter()
{
    while (is_full()) co_await freed_.wait();
    co_return Place(*this);
}

ProgramPlaces& program_places()
{
    static thread_local ProgramPlaces places(std::max<std::size_t>(std::thread::hardware_concurrency(), 1) * 2);
    return places;
}

}  // namespace cadre::tools
