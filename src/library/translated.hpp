// What our rooms throw becomes what the public headers promise.
#pragma once

#include "base/cancel.hpp"
#include "base/error.hpp"
#include "cadre/failure.hpp"

#include <future>

namespace cadre::library {

/// Failure instead of Error; also for who waited for an engine that was stopped meanwhile.
template <class Act>
auto translated(Act act) -> decltype(act())
{
    try {
        return act();
    } catch (const Error& error) {
        throw Failure(error.code(), error.what());
    } catch (const Cancelled&) {
        throw Failure(Code::unavailable, "the engine was stopped");
    } catch (const std::future_error&) {
        throw Failure(Code::unavailable, "the engine was stopped");
    }
}

}  // namespace cadre::library
