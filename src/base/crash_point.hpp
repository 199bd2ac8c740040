// Crash points: named places where the crash harness and the simulator may end the process. Nobody listens in normal use,
// and then one costs a load and a branch.
#pragma once

namespace cadre {

/// Called at every crash point with its name; null: nobody listens. Set before threads start.
extern void (*crash_hook)(const char* point);

inline void crash_point(const char* name)
{
    if (crash_hook) crash_hook(name);
}

}  // namespace cadre
