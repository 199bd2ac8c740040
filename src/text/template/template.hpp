// Templates and expressions: Jinja's language, as much of it as docs/guide/templates.md says.
#pragma once

#include "text/template/included.hpp"
#include "text/template/scope.hpp"
#include "text/template/template_error.hpp"
#include "text/template/value.hpp"

#include <cstdint>
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

/// `task.id` is the member `id` of `task`; where all of a name is used, or nobody can say which part, the member is empty.
struct UsedMember {
    std::string name{};
    std::string member{};
    // where it is used first, for Template::place()
    std::uint32_t unit = 0;
    std::uint32_t at = 0;
    std::uint32_t member_at = 0;
};

struct TemplateOptions {
    std::string name = "template";  // what errors call it
    /// What it includes, by the name that it says and the name of the template that says so; nothing when there is none. Without
    /// it nothing can be included.
    std::function<std::optional<Included>(std::string_view name, std::string_view by)> includes{};
};

/// Parsed once, rendered often, from any thread. Everything that fails is a TemplateError.
class Template {
public:
    static Template parse(std::string_view source, const TemplateOptions& options = {});

    std::string render(const Scope& scope) const;
    std::vector<UsedName> names() const;
    /// What is used of the names from outside, each once; a name that the template sets somewhere itself counts as a whole.
    std::vector<UsedMember> members() const;
    Place place(std::uint32_t unit, std::uint32_t at) const;

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
    /// Its text with spaces where people put them: two that differ only there are spelled alike.
    std::string spelling() const;
    std::vector<UsedName> names() const;
    std::vector<UsedMember> members() const;
    Place place(std::uint32_t unit, std::uint32_t at) const;

private:
    explicit Expression(std::shared_ptr<const tpl::Program> program) : program_(std::move(program)) {}
    std::shared_ptr<const tpl::Program> program_;
};

}  // namespace cadre::text
