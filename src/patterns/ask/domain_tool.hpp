// What of a domain is asked, with which arguments, and what its answer says about how far it is. Plain functions.
#pragma once

#include "base/time.hpp"
#include "model/tool.hpp"
#include "model/views/domains.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::patterns {

/// A tool of a domain that takes a question, and the one that tells how far it is; empty: there is none.
struct DomainTool {
    std::string name{};
    std::string poll{};
};

/// In the order of the domain. Tools that poll are not asked by themselves: those called `poll_…`, and the one that `ext.poll` names. One
/// of them belongs to the tool whose name ends like its own, or to all where it is the only one.
std::vector<DomainTool> tools_of(const model::domains::Domain& domain);

/// It is enabled, and has a tool that takes a question.
bool can_be_asked(const model::domains::Domain& domain);

/// `inventory.genie`, or what `ext.source` says in place of `genie`.
std::string source_of(const model::domains::Domain& domain);

/// The question, and the conversation that it continues if the tool takes one; `tool` may be null, when nothing is known of it.
boost::json::object query_arguments(const model::Tool* tool, std::string_view question, std::string_view conversation);
/// Whether these are all that it must have.
bool takes_question(const model::Tool& tool);

struct ToolProgress {
    enum class What { done, pending, failed } what = What::done;
    boost::json::value answer{};  // JSON where it is, else the text
    std::string status{};         // its own word
};

/// Of a tool that can be polled the answer's `status` counts; of others every answer is the result, unless it says that it is not.
ToolProgress progress_in(std::string_view text, bool can_poll);
/// The ids of the answer that the tool takes.
boost::json::object poll_arguments(const model::Tool* tool, const boost::json::value& answer);
/// Before the n-th poll, from 1 on: 1, 2, 4, 5, 5 … seconds.
Millis pause_before_poll(int n);

}  // namespace cadre::patterns
