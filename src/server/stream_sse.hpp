// A stream as server-sent events: every one has an id, which brings a client that was cut off back to where it was, inside a sentence too.
#pragma once

#include "base/async_fwd.hpp"

namespace cadre::server {

class Call;
class StreamSource;

/// Answers the call. 204 when there is nothing left to tell, so that browsers do not ask again.
Async<> stream_events(Call& call, StreamSource& source);

}  // namespace cadre::server
