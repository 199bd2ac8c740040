#include "text/template/used_members.hpp"

#include "text/template/syntax.hpp"

#include <set>
#include <string_view>
#include <utility>

namespace cadre::text::tpl {
namespace {

class MemberSearch {
public:
    explicit MemberSearch(const Program& program) : program_(program)
    {
        for (const NameUse& use : program.used) outside_.insert(use.name);
    }

    void look_at(std::uint32_t unit)
    {
        unit_ = unit;
        for (const Node& node : program_.units[unit]->body) look_at(node);
        for (const Expr& expr : program_.units[unit]->expression) look_at(expr);
    }
    std::vector<UsedMember> take() { return std::move(found_); }

private:
    void look_at(const Node& node)
    {
        for (const Expr& expr : node.exprs) look_at(expr);
        for (const auto& body : node.bodies)
            for (const Node& inner : body) look_at(inner);
    }

    void look_at(const Expr& expr)
    {
        if (expr.kind == Expr::Kind::name) return add(expr, nullptr);
        std::size_t from = 0;
        if (expr.kind == Expr::Kind::chain && expr.items.size() > 1 && expr.items[0].kind == Expr::Kind::name) {
            const bool is_method = expr.items.size() > 2 && expr.items[2].kind == Expr::Kind::call;
            add(expr.items[0], is_method ? nullptr : &expr.items[1]);
            from = 1;
        }
        for (std::size_t i = from; i < expr.items.size(); ++i) look_at(expr.items[i]);
        if (!expr.arguments) return;
        for (const auto* list :
             {&expr.arguments->positional, &expr.arguments->named, &expr.arguments->list, &expr.arguments->dictionary})
            for (const Expr& argument : *list) look_at(argument);
    }

    void add(const Expr& expr, const Expr* step)
    {
        const Program::Name& name = program_.names[expr.id];
        if (!outside_.contains(name.text)) return;
        std::string member;
        if (step && !name.assigned) member = member_of(*step);
        if (!seen_.emplace(name.text, member).second) return;
        const std::uint32_t member_at = member.empty() ? expr.at : step->at;
        found_.push_back({name.text, std::move(member), unit_, expr.at, member_at});
    }

    static std::string member_of(const Expr& step)
    {
        if (step.kind == Expr::Kind::attribute) return step.name;
        const bool is_named = step.kind == Expr::Kind::item && step.items.size() == 1 &&
                              step.items[0].kind == Expr::Kind::constant &&
                              step.items[0].constant.is(Value::Kind::string);
        return is_named ? step.items[0].constant.text() : std::string();
    }

    const Program& program_;
    std::set<std::string, std::less<>> outside_;
    std::set<std::pair<std::string, std::string>> seen_;
    std::vector<UsedMember> found_;
    std::uint32_t unit_ = 0;
};

}  // namespace

std::vector<UsedMember> used_members(const Program& program)
{
    MemberSearch search(program);
    for (std::uint32_t unit = 0; unit < program.units.size(); ++unit) search.look_at(unit);
    return search.take();
}

}  // namespace cadre::text::tpl
