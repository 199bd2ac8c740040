// Templates and expressions: Jinja's language, as much of it as docs/guide/templates.md says.
#pragma once

#include "text/template/scope.hpp"
#include "text/template/template_error.hpp"
#include "text/template/value.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::text {

namespace tpl {
struct Program;
struct NameUse;
}  // namespace tpl

/// A name that comes from outside, and where it is used first.
struct UsedName {
    std::string name{};
    Place place{};
};

struct TemplateOptions {
    std::string name = "template";  // what errors call it
    /// The source of what it includes, by name; nothing when there is none. Without it nothing can be included.
    std::function<std::optional<std::string>(std::string_view)> includes{};
};

/// Parsed once, rendered often, from any thread. Everything that fails is a TemplateError.
class Template {
public:
    static Template parse(std::string_view source, const TemplateOptions& options = {});

    std::string render(const Scope& scope) const;
    std::vector<UsedName> names() const;
    /// `x` of `NAME.x` and `NAME['x']`, each once; none where the name is its own.
    std::vector<UsedName> members_of(std::string_view name) const;

private:
    explicit Template(std::shared_ptr<const tpl::Program> program) : program_(std::move(program)) {}
    std::shared_ptr<const tpl::Program> program_;
};

/// A condition, or what computes a value. The same rules as for Template.
class Expression {
public:
    static Expression parse(std::string_view source, std::string name = "expression");

    /// Lists, dicts and what JSON has besides; an undefined is a failure.
    Value evaluate(const Scope& scope) const;
    bool truth(const Scope& scope) const;
    /// The value as Python's repr() has it.
    std::string repr(const Scope& scope) const;
    std::vector<UsedName> names() const;
    /// `x` of `NAME.x` and `NAME['x']`, each once; none where the name is its own.
    std::vector<UsedName> members_of(std::string_view name) const;

private:
    explicit Expression(std::shared_ptr<const tpl::Program> program) : program_(std::move(program)) {}
    std::shared_ptr<const tpl::Program> program_;
};

}  // namespace cadre::text
