// A visit of one node of a workflow: what it sees, and what is done in it.
#pragma once

#include "base/async_fwd.hpp"
#include "engine/run.hpp"
#include "patterns/graph/walk.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cadre::patterns {

/// A turn of a loop and an item of a map have their own, which differs from the node's. Copies are cheap.
struct Visit {
    const Walk& walk;
    std::size_t place;
    std::vector<std::size_t> counted{};
    std::shared_ptr<const model::State> state{};
    std::vector<model::Said> own{};  // what was said in this very node before: by people, in earlier turns
    boost::json::object names{};     // of its own: `item`, `loop`
    std::shared_ptr<const text::Scope>
        shared_names{};  // where many visits have all but those in common; null: they do not

    const BoardNode& node() const { return walk.board().node(place); }
    const model::NodeDef& def() const { return *node().def; }
    const model::Graph& graph() const { return walk.board().graph(); }
    /// What all before it said, and what was said in it.
    std::vector<Heard> heard() const;
};

/// The whole visit, up to where it leads. Throws what fails in it and nothing handles.
Async<model::NodeResult> visit(engine::Run& run, const Walk& walk, std::size_t place, std::vector<std::size_t> counted);

/// The names of templates and expressions of the node; with `work`, of those that come behind it. The visit outlives them.
text::Scope names_for(const engine::Run& run, const Visit& visit, const model::NodeWork* work = nullptr);
/// What `output` and `set` make of what was done.
void set_fields(const engine::Run& run, const Visit& visit, model::NodeWork& work);

// ---- what agents hear ----

std::string task_for(const engine::Run& run, const Visit& visit);
/// Of what was said before, what the node wants to hear.
std::vector<Heard> context_of(const Visit& visit);
/// To prompts that are templates.
void show_state(engine::Run& run, const Visit& visit);

// ---- what is done, by type ----

Async<model::NodeWork> speak(engine::Run& run, const Visit& visit);
Async<model::NodeWork> call_tool(engine::Run& run, const Visit& visit);
Async<model::NodeWork> ask_person(engine::Run& run, const Visit& visit);
Async<model::NodeWork> repeat(engine::Run& run, const Visit& visit);
Async<model::NodeWork> for_each(engine::Run& run, const Visit& visit);
Async<model::NodeWork> work_together(engine::Run& run, const Visit& visit);
Async<model::NodeWork> run_nested(engine::Run& run, const Visit& visit, const std::string& workflow);
/// What a loop repeats and a map does for each: its agent, its tool, or a workflow.
Async<model::NodeWork> do_body(engine::Run& run, const Visit& visit, const std::optional<std::string>& workflow);

/// Whether the node may begin. What a person changed or said is part of its work; a `key`: it does not begin, and that leads on.
Async<model::NodeWork> ask_consent(engine::Run& run, const Visit& visit);

}  // namespace cadre::patterns
