#include "model/rules.hpp"

#include "base/error.hpp"
#include "base/plural.hpp"
#include "model/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <string>

namespace cadre::model {

namespace {

struct Checker {
    const Rule& rule;
    const Path& path;
    Problems& problems;

    void complain(std::string text) const
    {
        problems.add(path, rule.says.empty() ? std::move(text) : std::string(rule.says));
    }

    void number(double value) const
    {
        if (rule.min && value < *rule.min) complain(fmt::format("must be at least {}, is {}", *rule.min, value));
        if (rule.above && value <= *rule.above)
            complain(fmt::format("must be more than {}, is {}", *rule.above, value));
        if (!rule.max || value <= *rule.max) return;
        if (!rule.says_above.empty()) problems.add(path, std::string(rule.says_above));
        else complain(fmt::format("must be at most {}, is {}", *rule.max, value));
    }

    void length(std::size_t size, std::string_view unit) const
    {
        if (rule.min_length && size < *rule.min_length)
            complain(size == 0 ? std::string("must not be empty")
                               : fmt::format("must have at least {}, has {}", plural(*rule.min_length, unit), size));
        if (rule.max_length && size > *rule.max_length)
            complain(fmt::format("must have at most {}, has {}", plural(*rule.max_length, unit), size));
    }

    void string(const std::string& text) const
    {
        if (rule.min_length || rule.max_length) length(code_points(text), "character");
        if (!matches(rule.format, text)) complain(fmt::format("{} is not {}", in_quotes(text), name_of(rule.format)));
    }

    void list(const void* value, const Type& type) const
    {
        length(type.size(value), type.kind == Kind::list ? "element" : "entry");
        if (rule.items)
            for (std::size_t i = 0; i < type.size(value); ++i) {
                const Path here = type.kind == Kind::list ? Path(path, i) : Path(path, type.key(value, i));
                check_rule(type.at(value, i), type.item(), *rule.items, here, problems);
            }
        if (!rule.unique || type.item().kind != Kind::string) return;
        std::set<std::string_view> seen;
        for (std::size_t i = 0; i < type.size(value); ++i) {
            const auto& text = *static_cast<const std::string*>(type.at(value, i));
            if (!seen.insert(text).second)
                problems.add(Path(path, i), ProblemKind::duplicate,
                             in_quotes(text) + " is here twice; remove one of them");
        }
    }
};

}  // namespace

std::size_t code_points(std::string_view text)
{
    std::size_t count = 0;
    for (char c : text) count += (c & 0xC0) != 0x80;
    return count;
}

void check_rule(const void* value, const Type& type, const Rule& rule, const Path& path, Problems& problems)
{
    const Checker checker{rule, path, problems};
    switch (type.kind) {
    case Kind::optional:
        if (const void* inner = type.find(value)) check_rule(inner, type.item(), rule, path, problems);
        break;
    case Kind::string: checker.string(*static_cast<const std::string*>(value)); break;
    case Kind::integer: checker.number(static_cast<double>(type.get_integer(value))); break;
    case Kind::number: checker.number(*static_cast<const double*>(value)); break;
    case Kind::list:
    case Kind::dict: checker.list(value, type); break;
    case Kind::boolean:
    case Kind::time:
    case Kind::id:
    case Kind::any:
    case Kind::object:
    case Kind::enumeration:
    case Kind::entity:
    case Kind::variant: break;
    }
}

void move_into_range(void* value, const Type& type, const Rule& rule)
{
    if (!rule.min && !rule.max) return;
    const double least = rule.min.value_or(-std::numeric_limits<double>::infinity());
    const double most = rule.max.value_or(std::numeric_limits<double>::infinity());
    if (type.kind == Kind::optional) {
        if (void* inner = const_cast<void*>(type.find(value))) move_into_range(inner, type.item(), rule);
    } else if (type.kind == Kind::integer) {
        const auto number = static_cast<double>(type.get_integer(value));
        if (number < least) type.set_integer(value, static_cast<std::int64_t>(std::ceil(least)));
        else if (number > most) type.set_integer(value, static_cast<std::int64_t>(std::floor(most)));
    } else if (type.kind == Kind::number) {
        auto& number = *static_cast<double*>(value);
        number = std::isnan(number) ? std::clamp(0.0, least, most) : std::clamp(number, least, most);
    }
}

void check_between(const void* entity, const Entity& description, const Path& path, Problems& problems)
{
    check_demands(entity, description, path, problems);
    for (const Check& check : description.checks) {
        auto sound = [&](std::string_view field) { return problems.is_sound(Path(path, field)); };
        if (check.run && (problems.empty() || std::ranges::all_of(check.needs, sound)))
            check.run(entity, path, problems);
    }
}

}  // namespace cadre::model
