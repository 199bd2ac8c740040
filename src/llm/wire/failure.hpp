// What a vendor's refusal means: a ModelError that names the thing and the fix, quotes the vendor, and never holds a key.
#pragma once

#include "llm/endpoint.hpp"
#include "llm/model.hpp"
#include "net/http.hpp"

#include <boost/json/fwd.hpp>

#include <string>
#include <string_view>

namespace cadre::llm {

/// An answer with a status other than 2xx.
ModelError failure_of(const Endpoint& endpoint, int status, const net::HttpHeaders& headers, std::string_view body,
                      Time now);

/// `{"error":{…}}`, or the error itself, in a stream that had begun well.
ModelError failure_in_stream(const Endpoint& endpoint, const boost::json::value& event);

/// Nobody answered, or not to the end.
ModelError failure_of(const Endpoint& endpoint, const net::HttpError& error);

/// The answer cannot be understood; `why` says what is wrong with it. Asking again may help: it is not the request's fault.
ModelError malformed_answer(const Endpoint& endpoint, std::string_view why);

/// The answer is a web page: somebody else is at this address, and will be when he is asked again.
ModelError page_answer(const Endpoint& endpoint);

/// The answer is larger than anybody wants it.
ModelError oversized_answer(const Endpoint& endpoint, std::string_view what);

/// The stream is over, and the answer was not.
ModelError cut_answer(const Endpoint& endpoint);

}  // namespace cadre::llm
