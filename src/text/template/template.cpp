#include "text/template/template.hpp"

#include "text/template/evaluator.hpp"
#include "text/template/parser.hpp"
#include "text/template/spelling.hpp"
#include "text/template/used_members.hpp"

namespace cadre::text {
namespace tpl {
namespace {

std::vector<UsedName> used_names(const Program& program)
{
    std::vector<UsedName> names;
    for (const NameUse& use : program.used) names.push_back({use.name, use.place});
    return names;
}

Place place_in(const Program& program, std::uint32_t unit, std::uint32_t at)
{
    return place_of(program.units.at(unit)->name, program.units[unit]->source, at);
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

std::vector<UsedMember> Template::members() const
{
    return tpl::used_members(*program_);
}

Place Template::place(std::uint32_t unit, std::uint32_t at) const
{
    return tpl::place_in(*program_, unit, at);
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

std::string Expression::spelling() const
{
    return tpl::spelling_of(*program_->units.front());
}

std::vector<UsedName> Expression::names() const
{
    return tpl::used_names(*program_);
}

std::vector<UsedMember> Expression::members() const
{
    return tpl::used_members(*program_);
}

Place Expression::place(std::uint32_t unit, std::uint32_t at) const
{
    return tpl::place_in(*program_, unit, at);
}

}  // namespace cadre::text
