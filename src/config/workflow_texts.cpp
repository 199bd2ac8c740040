// Templates and expressions of workflows: whether they can be read, and whether what they name is there.
#include "base/error.hpp"
#include "base/suggest.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "text/template/template.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::config {

namespace {

/// What every template and expression of a workflow may use; those of a map's items beside them.
constexpr std::string_view kNames[] = {"task", "state", "agent", "team", "last", "answers", "errors", "item", "loop"};
/// What those may use besides that are asked once a node has done its work.
constexpr std::string_view kNamesBehind[] = {"answer", "result", "error"};
/// Of a state, whatever the workflow declares.
constexpr std::string_view kStateNames[] = {"next_action", "current_agent", "routing_key", "metadata"};

/// By the name of a workflow: what maps that run it call their items.
using ItemNames = std::map<std::string, std::set<std::string>, std::less<>>;

ItemNames item_names(const Contents& contents)
{
    ItemNames names;
    for (const auto& [graph, file, at] : contents.workflows)
        for (const auto& [name, node] : graph.nodes)
            if (node.map && node.map->workflow) names[*node.map->workflow].insert(node.map->as);
    return names;
}

class WorkflowTexts {
public:
    /// `open`: another workflow may run it, and have names for it that are not known here.
    WorkflowTexts(const model::Graph& graph, const Document& document, const std::set<std::string>& items, bool open,
                  Findings& findings)
        : graph_(graph),
          document_(document),
          findings_(findings),
          names_(std::begin(kNames), std::end(kNames)),
          fields_(std::begin(kStateNames), std::end(kStateNames)),
          open_(open)
    {
        names_.insert(names_.end(), items.begin(), items.end());
        for (const auto& [field, schema] : graph.state) fields_.push_back(field);
    }

    void check()
    {
        for (const auto& [name, node] : graph_.nodes) check_node(name, node);
        for (std::size_t i = 0; i < graph_.edges.size(); ++i)
            expression_behind(graph_.edges[i].condition, {"edges", i, "condition"});
    }

private:
    void check_node(const std::string& name, const model::NodeDef& node)
    {
        const PathSteps path{"nodes", name};
        const std::size_t common = names_.size();
        if (node.map && std::ranges::find(names_, node.map->as) == names_.end()) names_.push_back(node.map->as);
        if (node.prompt) text(*node.prompt, joined(path, {"prompt"}));
        for (const auto& [field, set] : node.set) expression_behind(set, joined(path, {"set", field}));
        arguments(node.args, joined(path, {"args"}));
        if (node.loop) expression_behind(node.loop->until, joined(path, {"loop", "until"}));
        if (node.map) {
            expression(node.map->over, joined(path, {"map", "over"}));
            expression(node.map->key, joined(path, {"map", "key"}));
        }
        names_.resize(common);
    }

    void arguments(const boost::json::value& value, const PathSteps& path)
    {
        if (const auto* one = value.if_string()) text(std::string(*one), path);
        if (const auto* object = value.if_object())
            for (const auto& member : *object) arguments(member.value(), joined(path, {std::string(member.key())}));
        if (const auto* list = value.if_array())
            for (std::size_t i = 0; i < list->size(); ++i) arguments((*list)[i], joined(path, {i}));
    }

    void text(const std::string& source, const PathSteps& path)
    {
        guarded(path, [&] { expect_names(text::Template::parse(source), path); });
    }
    void expression(const std::optional<std::string>& source, const PathSteps& path)
    {
        if (source) guarded(path, [&] { expect_names(text::Expression::parse(*source), path); });
    }

    void expression_behind(const std::optional<std::string>& source, const PathSteps& path)
    {
        const std::size_t before = names_.size();
        names_.insert(names_.end(), std::begin(kNamesBehind), std::end(kNamesBehind));
        expression(source, path);
        names_.resize(before);
    }

    template <class F>
    void guarded(const PathSteps& path, F look)
    {
        try {
            look();
        } catch (const text::TemplateError& error) {
            tell(path, error.place(), error.reason());
        }
    }

    template <class Parsed>
    void expect_names(const Parsed& parsed, const PathSteps& path)
    {
        for (const text::UsedMember& used : parsed.members()) {
            if (!open_ && std::ranges::find(names_, used.name) == names_.end())
                tell(path, parsed.place(used.unit, used.at),
                     unknown(used.name, "is not a name that is known here", names_, "these are"));
            if (used.name == "state" && !used.member.empty() &&
                std::ranges::find(fields_, used.member) == fields_.end())
                tell(path, parsed.place(used.unit, used.member_at),
                     unknown(used.member, "is not a field of this workflow's state", fields_,
                             "declare it under state; there are"));
        }
    }

    static std::string unknown(const std::string& name, std::string_view says, const std::vector<std::string>& known,
                               std::string_view others)
    {
        const auto near = nearest(name, known);
        return fmt::format("{} {}{}", in_quotes(name), says,
                           near ? fmt::format(", did you mean {}?", in_quotes(*near))
                                : fmt::format("; {}: {}", others, fmt::join(known, ", ")));
    }

    /// What a variable gave is told as it is written, and has no columns.
    void tell(const PathSteps& path, const text::Place& place, const std::string& text)
    {
        const Found found = find(document_.value, document_.root, path);
        if (!found.exact || !found.place->variable.empty()) return report(path, text, document_, findings_);
        findings_.error(document_.file, document_.inside(path, place.line, place.column),
                        model::path_text(path) + ": " + text);
    }

    const model::Graph& graph_;
    const Document& document_;
    Findings& findings_;
    std::vector<std::string> names_;
    std::vector<std::string> fields_;
    bool open_;
};

}  // namespace

void check_workflow_texts(const Contents& contents, Findings& findings)
{
    const ItemNames items = item_names(contents);
    static const std::set<std::string> kNone;
    for (const auto* workflows : {&contents.workflows, &contents.faulty_workflows})
        for (const auto& [graph, file, at] : *workflows) {
            const auto own = items.find(graph.name);
            WorkflowTexts(graph, *file->document, own == items.end() ? kNone : own->second, contents.open.items,
                          findings)
                .check();
        }
}

}  // namespace cadre::config
