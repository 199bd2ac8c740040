#include "patterns/graph/walk.hpp"

#include "base/error.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cadre::patterns {

using engine::Entry;
using engine::Fate;
using model::JoinPolicy;

namespace {

bool leads_to(const model::NodeResult& result, std::string_view name)
{
    return std::ranges::find(result.next, name) != result.next.end();
}

bool has_ok_way(const BoardNode& node, std::size_t to)
{
    return std::ranges::any_of(node.ways, [&](const Way& way) {
        if (way.on == model::EdgeOn::error) return false;
        return way.to == to || std::ranges::any_of(way.keys, [&](const auto& one) { return one.second == to; });
    });
}

}  // namespace

std::string last_of(std::span<const Heard> heard, const std::string& otherwise)
{
    for (std::size_t i = heard.size(); i-- > 0;)
        if (heard[i].said->role == model::Role::assistant) return heard[i].said->text;
    return otherwise;
}

Walk::Walk(const Board& board, const Setting& setting, const Results& results)
    : board_(board),
      setting_(setting),
      results_(results),
      initial_(std::make_shared<const model::State>(setting.state)),
      is_broken_(board.size()),
      is_known_(board.size()),
      executed_(board.size()),
      after_(board.size())
{}

// ---- the flow ----

Walk::Token Walk::token(std::size_t from, std::size_t to, std::span<const Fate> fates) const
{
    switch (fates[from]) {
    case Fate::open:
    case Fate::running: return Token::open;
    case Fate::done: return leads_to(*results_[from].value, name(to)) ? Token::live : Token::dead;
    case Fate::failed: return has_ok_way(board_.node(from), to) ? Token::failed : Token::dead;
    case Fate::skipped:
    case Fate::cancelled: break;
    }
    return is_broken_[from] && has_ok_way(board_.node(from), to) ? Token::failed : Token::dead;
}

Entry Walk::enter(std::size_t part, std::span<const Fate> fates) const
{
    if (part == 0) return {.what = Entry::What::go};
    const BoardNode& node = board_.node(part);
    Entry entry;
    std::size_t open = 0, failed = 0;
    for (const std::size_t input : inputs(part)) {
        const Token found = token(input, part, fates);
        if (found == Token::live) entry.counted.push_back(input);
        open += found == Token::open;
        failed += found == Token::failed;
    }
    if (node.enough > 0 && entry.counted.size() >= node.enough) {
        entry.counted.resize(node.enough);
        entry.what = Entry::What::go;
        return entry;
    }
    // who can no longer come is said at once where that ends the workflow; as a value it must not hang on time
    const bool is_hopeless = node.enough > 0 && failed > 0 && entry.counted.size() + open < node.enough;
    if (open > 0 && !(is_hopeless && !node.is_covered)) return {};

    const bool nothing = entry.counted.empty() && failed == 0;
    if (nothing) return {.what = Entry::What::skip};
    if (node.enough > 0 || (node.policy == JoinPolicy::collect && entry.counted.empty()))
        expect_possible(node, part, fates);
    if (node.policy == JoinPolicy::fail_fast && failed > 0) {
        is_broken_[part] = true;
        return {.what = Entry::What::skip};
    }
    entry.what = Entry::What::go;
    return entry;
}

/// Throws: so many cannot come any more.
void Walk::expect_possible(const BoardNode& node, std::size_t part, std::span<const Fate> fates) const
{
    boost::json::object errors;
    for (const std::size_t input : inputs(part))
        if (token(input, part, fates) == Token::failed) add_failures(errors, input);
    std::string reasons;
    for (const auto& error : errors)
        reasons += fmt::format("{}{}: {}", reasons.empty() ? ": " : "; ", std::string_view(error.key()),
                               std::string_view(error.value().as_string()));
    std::string what = node.policy == JoinPolicy::collect ? fmt::format("no way to '{}' succeeded", node.name)
                                                          : fmt::format("quorum {} of {} not reached at '{}'",
                                                                        node.enough, inputs(part).size(), node.name);
    throw Error(Code::upstream, std::move(what) + reasons);
}

// ---- what a node sees ----

const model::Executed& Walk::executed(std::size_t node) const
{
    model::Executed& mine = executed_[node];
    if (is_known_[node]) return mine;
    is_known_[node] = true;
    const auto& result = results_[node].value;
    if (!result) return mine;
    mine.update = &result->work.update;
    for (const std::string& name : result->after)
        if (const auto place = board_.order().find(name)) mine.counted.push_back(*place);
    return mine;
}

std::vector<std::size_t> Walk::before(std::span<const std::size_t> counted) const
{
    if (counted.empty()) return {};
    for (std::size_t i = 0; i <= std::ranges::max(counted); ++i)
        if (!is_known_[i] && results_[i].value) executed(i);
    return model::executed_before(counted, executed_);
}

std::shared_ptr<const model::State> Walk::state_at(std::size_t node, std::span<const std::size_t> counted) const
{
    if (counted.empty()) return initial_;
    const bool has_winner = board_.node(node).def->join && !board_.node(node).def->join->winner.empty();
    if (counted.size() == 1 && !has_winner) {
        if (!after_[counted[0]])
            for (const std::size_t one : before(counted)) state_after(one);  // each needs only those before it
        return state_after(counted[0]);
    }
    before(counted);
    return std::make_shared<const model::State>(
        model::state_at(board_.graph(), board_.order(), *initial_, executed_, node, counted));
}

const std::shared_ptr<const model::State>& Walk::state_after(std::size_t node) const
{
    auto& state = after_[node];
    if (state) return state;
    const model::Executed& mine = executed(node);
    auto at = state_at(node, mine.counted);
    if (mine.update && !mine.update->empty())
        at = std::make_shared<const model::State>(updated(*at, *mine.update, board_.graph().state));
    state = std::move(at);
    return state;
}

std::vector<Heard> Walk::heard_at(std::span<const std::size_t> counted) const
{
    std::vector<Heard> heard;
    for (const std::size_t node : before(counted))
        for (const model::Said& said : results_[node].value->work.said) heard.push_back({name(node), &said});
    return heard;
}

/// Why the node, or whoever broke the way to it, failed.
void Walk::add_failures(boost::json::object& errors, std::size_t node) const
{
    if (results_[node].error) errors[name(node)] = results_[node].error->what();
    if (!is_broken_[node]) return;
    for (const std::size_t input : inputs(node))
        if (results_[input].error || is_broken_[input]) add_failures(errors, input);
}

boost::json::object Walk::errors_at(std::size_t node, std::span<const std::size_t> counted) const
{
    boost::json::object errors;
    // only of a collect join everything before it has settled; elsewhere what else fails hangs on time
    const auto collect = [&](std::size_t at) {
        if (board_.node(at).policy != JoinPolicy::collect) return;
        for (const std::size_t input : inputs(at))
            if (results_[input].error || is_broken_[input]) add_failures(errors, input);
    };
    for (const std::size_t one : before(counted)) {
        collect(one);
        if (results_[one].value->error) errors[name(one)] = *results_[one].value->error;
    }
    collect(node);
    return errors;
}

// ---- the end ----

/// What it said, or the last that was said before it: a person who agrees adds nothing to what there is.
std::string Walk::text_of(std::size_t node) const
{
    const auto& said = results_[node].value->work.said;
    for (std::size_t i = said.size(); i-- > 0;)
        if (said[i].role == model::Role::assistant) return said[i].text;
    return last_of(heard_at(executed(node).counted), setting_.last);
}

/// What was executed and led nowhere. Before a join that does not wait for all, how far an arm came hangs on time.
std::vector<std::size_t> Walk::ends() const
{
    std::vector<bool> may_be_cut(size());
    for (std::size_t i = size(); i-- > 0;)
        may_be_cut[i] = std::ranges::any_of(board_.order().followers[i],
                                            [&](std::size_t next) { return by_time(next) || may_be_cut[next]; });
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < size(); ++i)
        if (results_[i].value && results_[i].value->next.empty() && !may_be_cut[i]) found.push_back(i);
    return found;
}

std::string Walk::reply() const
{
    std::string reply;
    for (const std::size_t node : ends()) {
        const std::string text = text_of(node);
        if (!text.empty()) (reply += reply.empty() ? "" : "\n\n") += text;
    }
    return reply;
}

boost::json::object Walk::update_for(const model::Dict<model::StateField>& declared) const
{
    const std::vector<std::size_t> last = ends();
    before(last);
    const boost::json::object all = model::update_of(board_.graph(), board_.order(), executed_, last);
    const auto* metadata = all.if_contains("metadata");
    boost::json::object own;
    if (metadata && metadata->is_object())
        for (const auto& field : metadata->get_object())
            if (declared.find(field.key())) own[field.key()] = field.value();
    boost::json::object update;
    if (!own.empty()) update["metadata"] = std::move(own);
    return update;
}

}  // namespace cadre::patterns
