// What a request changes: done once for each Idempotency-Key, and told in the audit before it is answered.
#pragma once

#include "base/async_fwd.hpp"
#include "base/id.hpp"
#include "base/sha256.hpp"
#include "storage/record.hpp"

#include <optional>
#include <string>

namespace cadre::server {

class Call;
struct AuditEntry;

/// The result of the work, or of what was done under the same key before.
Async<std::string> done_once(Call& call, Async<std::string> work);

/// What the Idempotency-Key of a request is to the server: of who asks, what for, and the key that they gave. Nothing: they gave none.
/// What a request makes can be called after it, so that a second attempt finds what the first has made. Throws HttpRefusal(400).
std::optional<Hash> repeat_hash(const Call& call);
/// An id that follows from `seed`, of version 4 as all are.
Id id_from_hash(const Hash& seed);

/// Whether an earlier attempt at this request was cut off after it had written a record of that kind into the task's journal, so that
/// it must not be written again.
Async<bool> was_written(Call& call, storage::RecordKind kind);

/// What the audit says of a request.
AuditEntry audit_entry_of(const Call& call, std::string kind);
/// The work is done. Throws Error(unavailable) when that cannot be written.
Async<> tell_audit(Call& call);

}  // namespace cadre::server
