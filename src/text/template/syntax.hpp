// What a template means, as a tree. Chains (`a.b|c`, `a + b - c`, `a or b`) are lists, so that only real nesting is depth.
#pragma once

#include "text/template/operators.hpp"
#include "text/template/template_error.hpp"
#include "text/template/value.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cadre::text::tpl {

struct Filter;
struct Test;
struct Expr;
using NameId = std::uint32_t;

struct CallArguments;
enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, in, not_in };

struct Expr {
    enum class Kind : std::uint8_t {
        constant,
        name,
        list,         // items
        tuple,        // items
        dict,         // items: key, value, key, value …
        chain,        // items: what it begins with, then steps
        negate,       // items[0]
        plus,         // items[0]
        negation,     // `not` items[0]
        arithmetic,   // items with operators between them, from left to right
        concat,       // items
        comparison,   // items with comparisons between them
        conjunction,  // items
        disjunction,  // items
        conditional,  // items: value, condition, and other value, which may be missing
        // steps of a chain
        attribute,  // .name
        item,       // [items[0]]
        slice,      // [items[0]:items[1]:items[2]]
        call,
        filter,
        test,
    };

    Expr(Kind what, std::size_t where);
    Expr(Expr&&) noexcept;
    Expr& operator=(Expr&&) noexcept;
    ~Expr();

    Kind kind;
    bool negative = false;  // of a test: `is not`
    std::uint32_t at;       // where in the source
    NameId id = 0;          // of powers: see ExpressionParser::parse_power()
    Value constant{};
    std::string name{};
    std::vector<Expr> items{};
    std::vector<Operator> operators{};
    std::vector<Comparison> comparisons{};
    std::unique_ptr<CallArguments> arguments{};
    const Filter* filter = nullptr;
    const Test* test = nullptr;
};

struct CallArguments {
    std::vector<Expr> positional{};
    std::vector<std::string> names{};
    std::vector<Expr> named{};       // as many as names
    std::vector<Expr> list{};        // *it: one or none
    std::vector<Expr> dictionary{};  // **it: one or none
};

/// What is assigned to: a name, or parts that a list is spread over.
struct Target {
    std::uint32_t at = 0;
    NameId id = 0;
    bool spread = false;
    std::vector<Target> parts{};
};

struct Node {
    enum class Kind : std::uint8_t {
        text,
        output,        // exprs[0]
        condition,     // exprs: conditions; bodies: one each, and one more for else
        loop,          // exprs: over what, and the condition, if any; bodies: body, else; targets[0]
        set,           // targets[0] = exprs[0]
        set_block,     // targets[0] = bodies[0], through exprs[0] if there is one
        with,          // targets = exprs; bodies[0]
        filter_block,  // bodies[0] through exprs[0]
        include,
    };

    Node(Kind what, std::size_t where) : kind(what), at(static_cast<std::uint32_t>(where)) {}

    Kind kind;
    bool uses_loop = false;    // of a loop: its body says `loop`
    bool with_context = true;  // of an include
    std::uint32_t at;
    std::uint32_t unit = 0;  // of an include
    std::string text{};
    std::vector<Expr> exprs{};
    std::vector<Target> targets{};
    std::vector<std::vector<Node>> bodies{};
};

/// One file, or the text itself.
struct Unit {
    std::string name{};
    std::string source{};  // with \n for every line end
    std::vector<Node> body{};
    std::vector<Expr> expression{};  // of an expression: one

    TemplateError error(Code code, std::size_t at, std::string reason) const
    {
        return {code, place_of(name, source, at), std::move(reason)};
    }
};

struct NameUse {
    std::string name{};
    Place place{};
};

/// Everything that was parsed. Immutable from then on.
struct Program {
    struct Name {
        std::string text{};
        bool assigned = false;  // somewhere by the template itself
    };

    std::vector<std::unique_ptr<Unit>> units{};  // the first is what is rendered
    std::vector<Name> names{};
    std::vector<NameUse> used{};  // from outside, each once
    NameId loop = 0;
};

}  // namespace cadre::text::tpl
