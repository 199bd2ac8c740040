// A process between us and a program, for what it starts: those that have left its group are nobody's once it has ended, and when we are
// killed nobody is left to look for them.
#pragma once

#include <csignal>

namespace cadre::net {

/// Told by the kernel when who started the keeper has ended. Its children cannot send it by mistake: it asks nobody else to.
constexpr int kOwnerEnded = SIGUSR2;

/// Called in a child of fork(), never of vfork(), that leads a group, adopts orphans and has all signals blocked. Comes back in a
/// child of that one, with true; the first stays, ends all that came of it, and then ends as the other did. False: no child can be had.
bool is_kept();

}  // namespace cadre::net
