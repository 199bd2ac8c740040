// Texts that are the same for everybody and cost something to make: made once, when they are first asked for.
#pragma once

#include "base/async_fwd.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace cadre::server {

class Call;

struct FixedDocument {
    std::string text{};
    std::string etag{};
};
using DocumentPtr = std::shared_ptr<const FixedDocument>;

/// Lives on the server's loop.
class Documents {
public:
    /// `name` says which one it is; `make` makes it, unless that was done before.
    DocumentPtr get(const std::string& name, const std::function<std::string()>& make);
    /// What they are made of has changed.
    void forget() { kept_.clear(); }

private:
    std::map<std::string, DocumentPtr> kept_;
};

/// Answers with it, or 304 where the client has it already.
Async<> reply_document(Call& call, std::string type, DocumentPtr document);

}  // namespace cadre::server
