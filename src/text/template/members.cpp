#include "text/template/members.hpp"

#include "text/template/syntax.hpp"

#include <algorithm>
#include <set>

namespace cadre::text::tpl {

namespace {

class Members {
public:
    Members(const Program& program, std::string_view name) : program_(program), name_(name) {}

    std::vector<UsedName> find()
    {
        const auto is_ours = [&](const Program::Name& one) { return one.text == name_; };
        const auto name = std::ranges::find_if(program_.names, is_ours);
        if (name == program_.names.end() || name->assigned) return {};
        id_ = static_cast<NameId>(name - program_.names.begin());
        for (const auto& unit : program_.units) {
            unit_ = unit.get();
            for (const Node& node : unit->body) look_at(node);
            for (const Expr& expr : unit->expression) look_at(expr);
        }
        return std::move(found_);
    }

private:
    void look_at(const Node& node)
    {
        for (const Expr& expr : node.exprs) look_at(expr);
        for (const auto& body : node.bodies)
            for (const Node& inner : body) look_at(inner);
    }

    void look_at(const Expr& expr)
    {
        if (expr.kind == Expr::Kind::chain && expr.items.size() > 1 && expr.items[0].kind == Expr::Kind::name &&
            expr.items[0].id == id_)
            note(expr.items[1]);
        for (const Expr& item : expr.items) look_at(item);
        if (!expr.arguments) return;
        const CallArguments& arguments = *expr.arguments;
        for (const auto* some : {&arguments.positional, &arguments.named, &arguments.list, &arguments.dictionary})
            for (const Expr& one : *some) look_at(one);
    }

    void note(const Expr& step)
    {
        std::string name;
        if (step.kind == Expr::Kind::attribute) name = step.name;
        if (step.kind == Expr::Kind::item && step.items[0].kind == Expr::Kind::constant &&
            step.items[0].constant.is(Value::Kind::string))
            name = step.items[0].constant.text();
        if (!name.empty() && seen_.insert(name).second)
            found_.push_back({name, place_of(unit_->name, unit_->source, step.at)});
    }

    const Program& program_;
    std::string_view name_;
    NameId id_ = 0;
    const Unit* unit_ = nullptr;
    std::set<std::string> seen_;
    std::vector<UsedName> found_;
};

}  // namespace

std::vector<UsedName> members_of(const Program& program, std::string_view name)
{
    return Members(program, name).find();
}

}  // namespace cadre::text::tpl
