// PromptTemplate: the system prompt of an agent as a template, which is rendered whenever the agent thinks.
#pragma once

#include "base/id.hpp"
#include "model/team.hpp"
#include "text/template/template.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace cadre::engine {

struct TaskSpec;

/// Made from what a task is pinned to, and immutable. From any thread.
class PromptTemplate {
public:
    /// Throws text::TemplateError when the team's text of it cannot be parsed.
    PromptTemplate(const model::Agent& agent, const model::Team& team);

    /// Its text and those of all that it includes.
    const std::string& source() const { return source_; }
    const text::Template& parsed() const { return template_; }

    /// The values of what it uses and of nothing else, by name: {"task":{"description":…}}. `state`: null where there is none.
    boost::json::object variables(Id task, const TaskSpec& spec, const boost::json::object* state) const;
    /// Throws text::TemplateError: `prompts/a.j2:3:14: …`
    std::string render(const boost::json::object& variables) const;

private:
    std::string source_;
    text::Template template_;
    std::vector<text::UsedMember> used_;
    boost::json::object agent_, team_;
};

/// What templates and expressions call `agent` and `team`.
boost::json::object names_of(const model::Agent& agent);
boost::json::object names_of(const model::Team& team);

/// That there is a text for the template which the agent names, that it can be parsed, and that it uses only names that there are.
/// Throws Error(invalid).
void expect_template(const model::Agent& agent, const model::Team& team);

}  // namespace cadre::engine
