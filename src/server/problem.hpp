// What a client is told when something fails: a problem of RFC 9457, from an Error and one table.
#pragma once

#include "base/error.hpp"
#include "model/problem.hpp"
#include "net/http_server.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::server {

/// One thing that is wrong with what was sent.
struct ProblemDetail {
    std::string pointer{};  // RFC 6901: `/agents/2/tools`
    std::string detail{};

    bool operator==(const ProblemDetail&) const = default;
};

struct Problem {
    int status = 500;
    Code code = Code::internal;  // `type` is /problems/ and its name, or the reason
    std::string reason{};        // a word of the route's own: already_answered
    std::string detail{};        // for whoever reads it; nothing about this machine
    std::vector<ProblemDetail> errors{};
    boost::json::object data{};  // further members, of the route's own
    std::string request_id{};
};

/// A route's own refusal: its reason is one of the route's faults.
class Refusal : public net::HttpRefusal {
public:
    Refusal(int status, Code code, std::string reason, const std::string& text, boost::json::object data = {},
            net::HttpHeaders headers = {})
        : HttpRefusal(status, code, text, std::move(headers)), reason_(std::move(reason)), data_(std::move(data))
    {}

    const std::string& reason() const { return reason_; }
    /// Further members of the problem: `{"answer":…}`.
    const boost::json::object& data() const { return data_; }

private:
    std::string reason_;
    boost::json::object data_;
};

/// What was sent could be parsed and breaks rules: 422 with all of them.
class BadRequest : public net::HttpRefusal {
public:
    explicit BadRequest(model::Problems problems);

    const model::Problems& problems() const { return problems_; }

private:
    model::Problems problems_;
};

/// The short sentence that is the same for every problem of a code.
std::string_view title_of(Code code);

/// Folders that no client hears of, besides those that every machine has.
using PrivateFolders = std::vector<std::string>;

/// `text` without secrets, and with every path of this machine's files replaced by `…`; paths of our own routes stay. Flags of the
/// command line are called as their fields are.
std::string public_text(std::string_view text, const PrivateFolders& folders);

/// `text` with these folders replaced by `…`, wherever they stand in it; nothing else is changed.
std::string without_folders(std::string text, const PrivateFolders& folders);

/// What a handler or the parser could not do; a Refusal and a BadRequest with what they know. Of what is our own fault, only the id under which the log has it is told.
Problem problem_of(const net::HttpFailure& failure, std::string request_id, const PrivateFolders& folders);
/// A body that could be parsed and breaks rules: 422 with all of them.
Problem problem_of(const model::Problems& problems, std::string request_id, const PrivateFolders& folders);

/// `application/problem+json`.
net::HttpAnswer answer_of(const Problem& problem);

}  // namespace cadre::server
