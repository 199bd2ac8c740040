#include "llm/wire/openai_calls.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::llm {

namespace {

/// Whether nothing can be missing of these arguments.
bool is_whole(std::string_view arguments)
{
    if (!arguments.ends_with('}')) return false;  // nearly always decided here
    try {
        return parse_json(arguments).is_object();
    } catch (const Error&) {
        return false;
    }
}

/// A fragment at an index that is taken: whether it begins a further call all the same, as of vendors who count from 0 to 0.
bool begins_another(const JoinedCall& call, const CallFragment& fragment)
{
    if (fragment.name.empty() || call.name.empty()) return false;
    if (!fragment.id.empty() && !call.id.empty() && fragment.id != call.id) return true;
    return fragment.id.empty() && !fragment.arguments.empty() && is_whole(call.arguments);
}

}  // namespace

std::optional<std::size_t> OpenAiCalls::find_by_id(std::string_view id) const
{
    if (id.empty()) return std::nullopt;
    const auto found = std::ranges::find(calls_, id, &JoinedCall::id);
    if (found == calls_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - calls_.begin());
}

std::optional<std::size_t> OpenAiCalls::find(const CallFragment& fragment) const
{
    if (fragment.index) {
        const auto known = by_index_.find(*fragment.index);
        if (known != by_index_.end()) {
            if (!begins_another(calls_[known->second], fragment)) return known->second;
            return find_by_id(fragment.id);
        }
        if (!fragment.id.empty() || !fragment.name.empty()) return find_by_id(fragment.id);
        // nothing but arguments, at a new index: of a call whose id came at another index, if that one waits for more
        if (!calls_.empty() && !is_whole(calls_.back().arguments)) return calls_.size() - 1;
        return std::nullopt;
    }
    if (!fragment.id.empty()) {
        if (const auto known = find_by_id(fragment.id)) return known;
        if (!calls_.empty() && calls_.back().id.empty() && (fragment.name.empty() || calls_.back().name.empty()))
            return calls_.size() - 1;  // an id that comes late
        return std::nullopt;
    }
    if (calls_.empty()) return std::nullopt;
    if (fragment.name.empty() || calls_.back().name.empty()) return calls_.size() - 1;
    return std::nullopt;
}

std::size_t OpenAiCalls::add(const CallFragment& fragment)
{
    auto place = find(fragment);
    if (!place) {
        place = calls_.size();
        calls_.emplace_back();
    }
    if (fragment.index) by_index_[*fragment.index] = *place;
    JoinedCall& call = calls_[*place];
    if (call.id.empty()) call.id = fragment.id;
    if (call.name.empty()) call.name = fragment.name;
    call.arguments += fragment.arguments;
    return *place;
}

}  // namespace cadre::llm
