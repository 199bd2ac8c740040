#include "text/template_names.hpp"

#include "base/error.hpp"
#include "base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cadre::text {
namespace {

constexpr std::string_view kTask[] = {"id", "description", "input"};
constexpr std::string_view kAgent[] = {"name", "role", "display_name", "tools"};
constexpr std::string_view kTeam[] = {"name", "description", "agents"};

constexpr KnownName kPrompt[] = {{"task", kTask}, {"agent", kAgent}, {"team", kTeam}, {"state"}};
constexpr KnownName kTurn[] = {{"task", kTask}, {"agent", kAgent}, {"team", kTeam}, {"state"}, {"answer"}, {"last"}};
constexpr KnownName kBreakpoint[] = {{"tokens"}, {"steps"}, {"calls"}, {"cost"}};

std::string advice(std::string_view word, const std::vector<std::string>& words, std::string_view all)
{
    if (const auto near = nearest(word, words)) return fmt::format(", did you mean {}?", in_quotes(*near));
    return fmt::format("; {}: {}", all, fmt::join(words, ", "));
}

template <class Parsed>
void expect_each(const Parsed& parsed, std::span<const KnownName> known)
{
    for (const UsedMember& use : parsed.members()) {
        const auto found = std::ranges::find(known, use.name, &KnownName::name);
        if (found == known.end()) {
            std::vector<std::string> words;
            for (const KnownName& name : known) words.emplace_back(name.name);
            throw TemplateError(Code::invalid, parsed.place(use.unit, use.at),
                                in_quotes(use.name) + " is not defined" + advice(use.name, words, "there are"));
        }
        if (use.member.empty() || found->members.empty()) continue;
        const std::vector<std::string> words(found->members.begin(), found->members.end());
        if (std::ranges::find(words, use.member) == words.end())
            throw TemplateError(Code::invalid, parsed.place(use.unit, use.member_at),
                                use.name + " has no " + in_quotes(use.member) + advice(use.member, words, "it has"));
    }
}

}  // namespace

std::span<const KnownName> prompt_names()
{
    return kPrompt;
}

std::span<const KnownName> turn_names()
{
    return kTurn;
}

std::span<const KnownName> breakpoint_names()
{
    return kBreakpoint;
}

void expect_known(const Template& used, std::span<const KnownName> known)
{
    expect_each(used, known);
}

void expect_known(const Expression& used, std::span<const KnownName> known)
{
    expect_each(used, known);
}

}  // namespace cadre::text
