#include "library/pattern.hpp"

#include "base/async.hpp"
#include "base/error.hpp"
#include "engine/run.hpp"

namespace cadre::library {

Async<model::Reply> reply_of(Pattern pattern, engine::Run& inner)
{
    Run run(inner);
    try {
        co_return inner.reply(co_await pattern(run));
    } catch (const Failure& failure) {
        throw Error(failure.code(), failure.what());
    }
}

}  // namespace cadre::library
