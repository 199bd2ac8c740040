#include "engine/run.hpp"

#include "base/json.hpp"
#include "engine/body.hpp"
#include "engine/reuse.hpp"
#include "engine/run_state.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::engine {

using storage::RecordKind;

namespace {

constexpr std::size_t kUsualNodes = 8;  // of one scope

}  // namespace

Run::Run(RunState& state, std::string scope) : state_(state), scope_(std::move(scope))
{}

// ---- what the task is ----

const std::string& Run::prompt() const
{
    return state_.view().spec.description;
}

const boost::json::object& Run::input() const
{
    return state_.view().spec.input;
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
}

void Run::tell(std::string text)
{
    tell(llm::Message{.role = model::Role::user, .text = std::move(text)});
}

void Run::tell(llm::Message message)
{
    messages_.push_back(std::make_shared<const llm::Message>(std::move(message)));
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

std::string Run::enter(const std::string& name)
{
    if (name.find_first_not_of("0123456789") == name.npos || name.find('/') != name.npos)
        throw Error(Code::internal, "a node's name has no slash and is not a number: " + in_quotes(name));
    const auto place = std::ranges::find(nodes_, name, &std::pair<std::string, std::uint32_t>::first);
    std::string path = scope_ + name;
    if (place == nodes_.end()) {
        if (nodes_.empty()) nodes_.reserve(kUsualNodes);
        nodes_.emplace_back(name, 1);
        return path;
    }
    return path + '/' + std::to_string(++place->second);
}

const storage::Record* Run::find_done(const std::string& path)
{
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->outcome) return nullptr;
    if (state_.reuse()) return nullptr;  // whether it ends as it did is seen from what is inside
    state_.recorded().skip_inside(path);
    return recorded->outcome;
}

void Run::record_done(const std::string& path, std::string result)
{
    if (state_.reuse()) state_.reuse()->node_ended(path, result, state_.take(path));
    if (state_.rehearsing()) return;
    if (const RecordedEffect* recorded = state_.take(path); recorded && recorded->outcome) return;
    state_.append({.kind = RecordKind::node_done, .path = path, .body = std::move(result)});
}

std::vector<std::unique_ptr<Run>> Run::fork(std::size_t branches)
{
    const std::string prefix = scope_ + "branch:" + std::to_string(++forks_) + '.';
    std::vector<std::unique_ptr<Run>> runs;
    runs.reserve(branches);
    for (std::size_t i = 0; i < branches; ++i)
        runs.push_back(std::make_unique<Run>(state_, prefix + std::to_string(i) + '/'));
    return runs;
}

std::optional<std::size_t> Run::recorded_winner(const std::string& path)
{
    const RecordedEffect* recorded = state_.take(path);
    if (!recorded || !recorded->outcome) return std::nullopt;
    const auto winner = own_of<FirstOutcome>(body_of<OutcomeBody>(*recorded->outcome), *recorded->outcome).winner;
    return static_cast<std::size_t>(winner.value_or(0));
}

Strands::Strands(RunState& state, std::size_t count) : state_(state)
{
    state_.branch(count);
}

Strands::~Strands()
{
    state_.branches_joined();
}

Strand::~Strand()
{
    state_.branch_ended();
}

}  // namespace cadre::engine
