// Board: a workflow made ready to be run: its order, and everything in it that is a template or an expression, parsed. It never
// changes, and all visits of its nodes share it.
#pragma once

#include "model/graph.hpp"
#include "model/graph_order.hpp"
#include "schema/schema.hpp"
#include "text/template/template.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::patterns {

/// A JSON value in which texts are templates. A text that is one `{{ expression }}` keeps the type of its value.
class Arguments {
public:
    static Arguments parse(const boost::json::value& value, const std::string& where);
    boost::json::value render(const text::Scope& names) const;

private:
    using Members = std::vector<std::pair<std::string, Arguments>>;
    std::variant<boost::json::value, text::Template, text::Expression, std::vector<Arguments>, Members> of_{};
};

/// An edge, from the node that it starts from.
struct Way {
    model::EdgeOn on = model::EdgeOn::ok;
    std::optional<text::Expression> condition{};
    std::optional<std::size_t> to{};                          // nothing: by key
    std::vector<std::pair<std::string, std::size_t>> keys{};  // `*` is the rest

    std::optional<std::size_t> find(std::string_view key) const;
};

struct BoardNode {
    std::string name{};
    const model::NodeDef* def = nullptr;
    std::optional<text::Template> prompt{};
    std::vector<std::pair<std::string, text::Expression>> set{};
    std::optional<Arguments> args{};
    std::optional<text::Expression> until{};  // of a loop
    std::optional<text::Expression> over{};   // of a map
    std::optional<text::Expression> key{};
    std::vector<Way> ways{};
    std::vector<std::string> asked_keys{};  // an agent must name one of these: its only way on goes by key
    model::JoinPolicy policy = model::JoinPolicy::fail_fast;
    std::size_t enough = 0;    // first, quorum: so many
    bool asks_before = false;  // a person must agree before it begins
    bool is_covered = false;   // its failure is a value for the joins that all its ways lead to
    bool keeps_calls = false;  // somebody behind it wants to hear of its tool calls
    bool has_error_ways = false;
};

class Board {
public:
    /// Throws Error(invalid) that names the node for what cannot be parsed, or is set and not declared. `graph` outlives it.
    explicit Board(const model::Graph& graph);

    const model::Graph& graph() const { return graph_; }
    const model::GraphOrder& order() const { return order_; }
    const BoardNode& node(std::size_t place) const { return nodes_[place]; }
    std::size_t size() const { return nodes_.size(); }
    bool uses_reflection() const { return uses_reflection_; }

    /// What the updates of a person must be like.
    const boost::json::object& updates_schema() const { return updates_schema_; }
    /// Throws Error(invalid) for an update of a field that is not as the field is declared. `node` empty: it is the task's input.
    void expect_value(const std::string& field, const boost::json::value& value, const std::string& node) const;
    /// What a text becomes in that field: itself, or what its JSON says where the field is not a text.
    boost::json::value value_of(const std::string& field, const std::string& text, const std::string& node) const;

private:
    void add_node(std::size_t place);
    void add_ways();
    void find_covered();
    void find_kept_calls();

    const model::Graph& graph_;
    model::GraphOrder order_;
    std::vector<BoardNode> nodes_;
    std::map<std::string, schema::Schema, std::less<>> fields_;  // of the updates of each
    boost::json::object updates_schema_;
    bool uses_reflection_ = false;
};

/// A workflow and all that it names.
class Workflows {
public:
    explicit Workflows(model::WorkflowSetup setup);
    Workflows(const Workflows&) = delete;
    Workflows& operator=(const Workflows&) = delete;

    const Board& main() const { return *main_; }
    /// Throws Error(not_found).
    const Board& find(std::string_view name) const;

private:
    model::WorkflowSetup setup_;
    std::unique_ptr<Board> main_;
    std::map<std::string, std::unique_ptr<Board>, std::less<>> nested_;
};

}  // namespace cadre::patterns
