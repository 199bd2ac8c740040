#include "text/template/template.hpp"

#include "text/template/evaluator.hpp"
#include "text/template/members.hpp"
#include "text/template/parser.hpp"

namespace cadre::text {
namespace tpl {
namespace {

std::vector<UsedName> used_names(const Program& program)
{
    std::vector<UsedName> names;
    for (const NameUse& use : program.used) names.push_back({use.name, use.place});
    return names;
}

}  // namespace
}  // namespace tpl

Template Template::parse(std::string_view source, const TemplateOptions& options)
{
    return Template(tpl::parse_template(options.name, source, options.includes));
}

std::string Template::render(const Scope& scope) const
{
    return tpl::Evaluator(*program_, scope).render();
}

std::vector<UsedName> Template::names() const
{
    return tpl::used_names(*program_);
}

std::vector<UsedName> Template::members_of(std::string_view name) const
{
    return tpl::members_of(*program_, name);
}

Expression Expression::parse(std::string_view source, std::string name)
{
    return Expression(tpl::parse_expression(std::move(name), source));
}

Value Expression::evaluate(const Scope& scope) const
{
    return tpl::Evaluator(*program_, scope).evaluate();
}

bool Expression::truth(const Scope& scope) const
{
    return tpl::Evaluator(*program_, scope).truth();
}

std::string Expression::repr(const Scope& scope) const
{
    return tpl::Evaluator(*program_, scope).repr();
}

std::vector<UsedName> Expression::names() const
{
    return tpl::used_names(*program_);
}

std::vector<UsedName> Expression::members_of(std::string_view name) const
{
    return tpl::members_of(*program_, name);
}

}  // namespace cadre::text
