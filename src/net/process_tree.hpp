// Everything that a process has started, also what has left its group.
#pragma once

#include <cstddef>
#include <sys/types.h>
#include <vector>

namespace cadre::net {

/// Its children, their children and so on, as they are at this moment; those first that are nearer. No more than `most`.
std::vector<pid_t> descendants_of(pid_t root, std::size_t most);

/// Stops the process, which adopts its orphans (spawn() sees to that), and kills its descendants; it is left to the caller.
void kill_descendants(pid_t root) noexcept;

/// Those that lived when it was made, whatever has become of the process since. Held, so that no number has become another's.
class Descendants {
public:
    explicit Descendants(pid_t root) noexcept;
    Descendants(const Descendants&) = delete;
    Descendants& operator=(const Descendants&) = delete;
    ~Descendants();

    void kill() const noexcept;

private:
    std::vector<int> held_;  // descriptors
};

}  // namespace cadre::net
