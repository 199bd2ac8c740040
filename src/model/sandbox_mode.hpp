// How the programs that tools run are locked in: the operator's choice.
#pragma once

#include <cstdint>
#include <span>

namespace cadre::model {

struct EnumName;

enum class SandboxMode : std::uint8_t {
    bubblewrap,
    none,  // not at all
};

std::span<const EnumName> names_of(const SandboxMode*);

}  // namespace cadre::model
