#include "engine/node_visits.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace cadre::engine {

namespace {

constexpr std::size_t kUsualNodes = 8;  // of one scope

}  // namespace

void expect_node_name(std::string_view name)
{
    if (is_node_name(name)) return;
    throw Error(Code::invalid,
                "a node cannot be called " + in_quotes(name) +
                    ": a name begins with a letter or _, has letters, digits, _ . - and at most 64 of them");
}

std::uint32_t NodeVisits::visit(std::string_view name)
{
    if (many_.empty()) {
        const auto place = std::ranges::find(few_, name, &std::pair<std::string, std::uint32_t>::first);
        if (place != few_.end()) return ++place->second;
        expect_node_name(name);
        if (few_.size() < kFew) {
            if (few_.empty()) few_.reserve(kUsualNodes);
            return few_.emplace_back(name, 1).second;
        }
        many_.insert(few_.begin(), few_.end());
    }
    const auto place = many_.find(name);
    if (place != many_.end()) return ++place->second;
    expect_node_name(name);
    many_.emplace(name, 1);
    return 1;
}

}  // namespace cadre::engine
