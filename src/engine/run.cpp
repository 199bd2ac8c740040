#include "engine/run.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/reuse.hpp"
#include "engine/run_state.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <set>

namespace cadre::engine {

using storage::RecordKind;

namespace {

constexpr std::size_t kLongestKey = 64;

/// Two branches of one name would be one path.
void expect_keys(const Branches& branches)
{
    std::set<std::string_view> seen;
    for (const std::string& key : branches.keys) {
        const bool is_plain =
            std::ranges::none_of(key, [](unsigned char c) { return c < ' ' || c == '/' || c == 127; });
        if (key.empty() || key.size() > kLongestKey || !is_plain)
            throw Error(Code::invalid, "a branch of " + branches.prefix + " cannot have the key " + in_quotes(key) +
                                           ": it must have 1 to 64 characters and no slash");
        if (!seen.insert(key).second)
            throw Error(Code::invalid, "two branches of " + branches.prefix + " have the key " + in_quotes(key));
    }
}

}  // namespace

Run::Run(RunState& state, std::string scope) : state_(state), scope_(std::move(scope))
{}

Run::~Run()
{
    give_seats_back();
    if (owes_iteration_) state_.iterations().forget(scope_);
}

// ---- what the task is ----

const Id& Run::task() const
{
    return state_.view().id;
}

const std::string& Run::source() const
{
    return state_.view().spec.source;
}

const std::string& Run::prompt() const
{
    return state_.view().spec.description;
}

const boost::json::object& Run::input() const
{
    return state_.view().spec.input;
}

const boost::json::object& Run::overrides() const
{
    return state_.view().spec.overrides;
}

const Agent& Run::agent() const
{
    return agent(state_.view().spec.agent);
}

const Agent& Run::agent(std::string_view name) const
{
    for (const Agent& agent : state_.agents())
        if (agent.name == name) return agent;
    throw Error(Code::not_found, "the team has no agent " + in_quotes(name));
}

const std::vector<Agent>& Run::agents() const
{
    return state_.agents();
}

const model::Team& Run::team() const
{
    static const model::Team kNone;
    const auto& team = state_.pinned().team;
    return team ? *team : kNone;
}

const std::string& Run::setup_text() const
{
    if (state_.pinned().setup.empty())
        throw Error(Code::invalid, "the task is pinned to no setup; its pattern needs one");
    return state_.pinned().setup;
}

model::Reply Run::reply(std::string text) const
{
    return {.task = to_string(state_.view().id), .agent = state_.view().spec.agent, .text = std::move(text)};
}

// ---- the conversation ----

void Run::tell_history()
{
    messages_.insert(messages_.end(), state_.history().begin(), state_.history().end());
    history_ = state_.history();
}

void Run::tell(std::string text)
{
    tell(llm::Message{.role = model::Role::user, .text = std::move(text)});
}

void Run::tell(llm::Message message)
{
    messages_.push_back(std::make_shared<const llm::Message>(std::move(message)));
}

void Run::forget()
{
    messages_.clear();
    history_.clear();
    messages_digest_ = {};
    digested_ = checked_ = 0;
}

void Run::tell_all_of(const Run& other)
{
    if (checked_ == messages_.size()) checked_ += other.checked_;
    messages_.insert(messages_.end(), other.messages_.begin(), other.messages_.end());
    history_.insert(history_.end(), other.history_.begin(), other.history_.end());
    shown_tools_.insert(shown_tools_.end(), other.shown_tools_.begin(), other.shown_tools_.end());
}

/// Of all that was told. It goes on from what it was, so it costs what is new.
const Digest& Run::conversation_digest()
{
    for (; digested_ < messages_.size(); ++digested_)
        messages_digest_ = llm::digest_of(messages_digest_, *messages_[digested_]);
    return messages_digest_;
}

// ---- structure ----

std::string Run::next_path(EffectKind kind)
{
    const std::uint32_t ordinal = ++ordinals_[static_cast<std::size_t>(kind)];
    const std::string_view name = name_of(kind);
    std::string path;
    path.reserve(scope_.size() + name.size() + 4);
    path += scope_;
    path += name;
    path += ':';
    path += std::to_string(ordinal);
    return path;
}

std::string Run::enter(std::string_view name)
{
    if (!busy_with_.empty()) expect_free(scope_ + std::string(name));
    return visit_path(name, nodes_.visit(name));
}

std::pair<std::string, std::string> Run::enter_part(std::string_view name)
{
    const std::uint32_t visit = nodes_.visit(name);
    std::string join = scope_ + "join:" + std::string(name);
    if (visit > 1) (join += ':') += std::to_string(visit);
    return {visit_path(name, visit), std::move(join)};
}

std::string Run::visit_path(std::string_view name, std::uint32_t visit) const
{
    std::string path;
    path.reserve(scope_.size() + name.size() + 4);
    path += scope_;
    path += name;
    if (visit > 1) (path += '/') += std::to_string(visit);
    return path;
}

std::string Run::scope_of(std::string_view path)
{
    std::string scope;
    scope.reserve(path.size() + 1);  // adding to a copy would allocate twice
    scope += path;
    scope += '/';
    return scope;
}

/// Structure is no part of an effect, and while its branches are at work a scope has nothing to do.
void Run::expect_free(std::string_view what) const
{
    if (busy_with_.empty()) return;
    throw Error(Code::internal, std::string(what) + " begins while " + std::string(busy_with_) +
                                    " is running in the same scope; what is to happen at once has a Run of its own: "
                                    "use map(), and in it the Run that its body is given");
}

Run::Busy::Busy(Run& run, std::string_view with) : run_(run)
{
    run.expect_free(with);
    run.busy_with_ = with;
}

const storage::Record* Run::find_done(const std::string& path)
{
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->outcome) return nullptr;
    // whether it ends as it did is seen from what is inside, and so is what models were asked there
    if (state_.reuse() || state_.owner().requests()) return nullptr;
    if (state_.recorded().skip_inside(path)) state_.iterations().pay_at(path);  // as it did
    return recorded->outcome;
}

void Run::record_done(std::string path, std::string result)
{
    if (state_.reuse()) state_.reuse()->node_ended(path, result, state_.take(path));
    if (state_.rehearsing()) return;
    if (const RecordedEffect* recorded = state_.take(path); recorded && recorded->outcome) return;
    JournalEntry done{.kind = RecordKind::node_done, .path = std::move(path), .body = std::move(result)};
    // a run that diverges later must not have changed its journal
    if (state_.replaying() && !is_mutant(Mutant::no_replay_gate)) state_.after_replay(std::move(done));
    else state_.append(std::move(done));
}

Branches Run::fork(std::size_t count, std::vector<std::string> keys, int width)
{
    Branches branches{.prefix = scope_ + "branch:" + std::to_string(++forks_) + '.', .keys = std::move(keys)};
    expect_free(branches.prefix);
    if (!branches.keys.empty()) expect_keys(branches);
    branches.runs = std::vector<std::optional<Run>>(count);
    for (std::size_t i = 0; i < count; ++i) {
        Run& branch = branches.runs[i].emplace(state_, branches.prefix + branches.name(i) + '/');
        branch.set_state(shown_state_);
        if (width > 0) branch.claim_seat(branches.prefix, width);
    }
    return branches;
}

void Run::claim_seat(std::string group, int most)
{
    state_.seats().claim(scope_, std::move(group), most);
    has_seat_ = true;
}

void Run::take_seat(const Agent& agent, int seats)
{
    claim_seat("agent " + in_quotes(agent.name), seats);
}

void Run::limit_iterations(int most)
{
    state_.account().limit_iterations(most);
}

void Run::count_iteration()
{
    if (!state_.account().counts_iterations()) return;
    owes_iteration_ = true;
    state_.iterations().owe(scope_);
}

void Run::give_seats_back() noexcept
{
    if (std::exchange(has_seat_, false)) state_.leave_seats(scope_);
}

std::optional<std::vector<std::uint32_t>> Run::recorded_winners(const std::string& path)
{
    if (is_mutant(Mutant::winners_not_recorded)) return std::nullopt;
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->outcome) return std::nullopt;
    return own_of<JoinOutcome>(body_of<OutcomeBody>(*recorded->outcome), *recorded->outcome).winners.find();
}

std::optional<std::size_t> Run::recorded_winner(const std::string& path)
{
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->outcome) return std::nullopt;
    const auto winner = own_of<FirstOutcome>(body_of<OutcomeBody>(*recorded->outcome), *recorded->outcome).winner;
    return static_cast<std::size_t>(winner.value_or(0));
}

}  // namespace cadre::engine
