// Witness: a performer that can find out what became of an attempt of which nobody here knows whether it has happened. It is asked
// before a person is.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/perform.hpp"

#include <optional>
#include <string>

namespace cadre::engine {

struct Evidence {
    std::optional<Answered> happened{};
    bool give_up = false;  // not found, and nobody is to be asked
    std::string looked{};  // not found: where it was looked for
};

class Witness {
public:
    virtual Async<Evidence> look(Attempt attempt) = 0;

protected:
    ~Witness() = default;
};

}  // namespace cadre::engine
