// One walk over a value and a Program side by side. The value itself is checked in evaluation.cpp, what is inside of it in
// evaluation_parts.cpp.
#pragma once

#include "schema/budget.hpp"
#include "schema/marks.hpp"
#include "schema/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cadre::schema {

/// The way from the whole value to the part that is looked at; lives on the stack of the walk.
struct Path {
    const Path* outer = nullptr;  // null: the whole value
    std::string_view key{};
    std::size_t index = 0;  // in an array, where there is no key
    bool in_array = false;
};

std::string to_pointer(const Path& path);

class Evaluation {
public:
    /// Without `findings` it stops at the first broken rule; with them it goes on and says why.
    Evaluation(const Program& program, Findings* findings)
        : program_(program), budget_(program.max_steps, program.max_depth), findings_(findings)
    {}

    /// Whether `value` is as the node says. `marks`, if any, learns which of its parts were looked at; they mean something
    /// only when the answer is yes. Throws Error(too_large) when the program's bounds do not suffice.
    bool check(NodeId id, const json::value& value, const Path& path, Marks* marks);

private:
    /// The resources that the walk has entered and not left, innermost first: where `$dynamicRef` looks.
    struct Scope {
        const Scope* outer;
        ResourceId resource;
    };

    bool check_rules(const Node& node, const json::value& value, const Path& path, Marks* marks);
    bool check_number(const Node& node, const json::value& value, const Path& path);
    bool check_string(const Node& node, std::string_view text, const Path& path);

    bool check_applicators(const Node& node, const json::value& value, const Path& path, Marks* marks);
    bool check_alternatives(const Node& node, const json::value& value, const Path& path, Marks* marks, bool only_one);
    bool check_condition(const Node& node, const json::value& value, const Path& path, Marks* marks);
    NodeId target_of(const DynamicRef& ref);

    bool check_array(const Node& node, const json::array& array, const Path& path, Marks* marks);
    bool check_elements(const Node& node, const json::array& array, const Path& path, Marks* marks);
    bool check_contained(const Node& node, const json::array& array, const Path& path, Marks* marks);
    bool check_object(const Node& node, const json::value& value, const Path& path, Marks* marks);
    bool check_members(const Node& node, const json::object& object, const Path& path, Marks* marks);
    bool check_required(const Node& node, const json::object& object, const Path& path);
    bool check_names(const Node& node, const json::object& object, const Path& path);
    bool check_dependents(const Node& node, const json::value& value, const Path& path, Marks* marks);
    bool check_rest(const Node& node, const json::value& value, const Path& path, Marks& marks);
    bool check_extra(const Node& node, std::string_view keyword, NodeId extra, const json::key_value_pair& member,
                     const Path& path);

    /// check() that finds nothing: for schemas that a value need not match.
    bool matches(NodeId id, const json::value& value, const Path& path, Marks* marks = nullptr);
    /// check() whose findings go to `findings`, and whose marks count only when it succeeds.
    bool check_apart(NodeId id, const json::value& value, const Path& path, Marks* marks, Findings* findings);

    /// False, after noting what `message()` says, if anybody listens.
    template <class Message>
    bool broken(const Node& node, std::string_view keyword, const Path& path, Message message)
    {
        if (listens()) add_finding(node, keyword, path, message());
        return false;
    }
    void add_finding(const Node& node, std::string_view keyword, const Path& path, std::string message);
    /// Says what is wrong with a value that matches no branch.
    void add_nearest(const Node& node, std::string_view keyword, const json::value& value, const Path& path,
                     const std::vector<NodeId>& branches, std::vector<Findings>& found);

    bool listens() const { return findings_ && findings_->size() < program_.max_findings; }
    /// Whether a further rule is worth a look.
    bool goes_on(bool holds) const { return holds || listens(); }

    const Program& program_;
    Budget budget_;
    Findings* findings_;
    const Scope* scope_ = nullptr;
};

}  // namespace cadre::schema
