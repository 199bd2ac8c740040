// What a request changes: done once for each Idempotency-Key, and told in the audit before it is answered.
#pragma once

#include "base/async_fwd.hpp"

#include <string>

namespace cadre::server {

class Call;
struct AuditEntry;

/// The result of the work, or of what was done under the same key before.
Async<std::string> done_once(Call& call, Async<std::string> work);

/// What the audit says of a request.
AuditEntry audit_entry_of(const Call& call, std::string kind);
/// The work is done. Throws Error(unavailable) when that cannot be written.
Async<> tell_audit(Call& call);

}  // namespace cadre::server
