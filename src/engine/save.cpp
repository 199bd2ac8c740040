// save: a file that a pattern makes becomes an artifact of its task.
#include "base/async.hpp"
#include "base/mutant.hpp"
#include "engine/artifact_history.hpp"
#include "engine/body.hpp"
#include "engine/body_members.hpp"
#include "engine/run.hpp"
#include "engine/run_state.hpp"
#include "engine/upkeep.hpp"

#include <boost/json.hpp>

namespace cadre::engine {

namespace {

class Saving final : public Performer {
public:
    Saving(RunState& state, ArtifactDraft& draft, const std::string& path) : state_(state), draft_(draft), path_(path)
    {}

    Async<Answered> attempt(Attempt) override
    {
        ArtifactPort* port = state_.env().artifacts;
        if (!port)
            throw Error(Code::invalid, path_ + ": this program keeps no artifacts; it needs Env::artifacts to save " +
                                           in_quotes(draft_.path));
        Answered answered;
        answered.held = co_await state_.hold_files();
        if (is_mutant(Mutant::artifact_before_blob)) blob_ = {draft_.path, to_hex(sha256(draft_.content))};
        else blob_ = co_await port->keep(state_.view().id, draft_);
        co_return answered;
    }

    /// So that parallel writers get a version each.
    void complete(Answered& answered) override
    {
        SavedVersion version{.path = std::move(blob_.path),
                             .sha256 = std::move(blob_.sha256),
                             .size = blob_.size,
                             .mime_type = std::move(blob_.mime_type),
                             .description = draft_.description,
                             .tags = draft_.tags};
        saved = next_version(state_.view(), std::move(version));
        append_members(answered.members,
                       SaveOutcome{.artifact = saved.artifact, .change = saved.change, .before = saved.before});
        answered.events = count_events(saved);
    }

    Saved saved;

private:
    RunState& state_;
    ArtifactDraft& draft_;
    const std::string& path_;
    KeptBlob blob_;
};

}  // namespace

Async<Saved> Run::save(ArtifactDraft draft)
{
    Effect effect{.ask = RequestDigest(EffectKind::save), .path = next_path(EffectKind::save)};
    effect.ask.part("path", draft.path).part("content", to_hex(sha256(draft.content)));
    append_members(effect.outcome, SaveOutcome{.agent = Text::unless_empty(draft.agent)});
    effect.agent = draft.agent;
    effect.effect_class = model::Effect::idempotent;
    effect.leaves = effect.records_intent = false;
    effect.changes_state = true;
    const std::string path = effect.path;
    Saving saving(state_, draft, path);
    if (const auto recorded = co_await perform(std::move(effect), saving)) {
        const auto outcome = body_of<OutcomeBody>(*recorded);
        throw_recorded_error(outcome);
        const auto& save = own_of<SaveOutcome>(outcome, *recorded);
        co_return Saved{.artifact = save.artifact.get(), .change = save.change.get()};
    }
    if (is_mutant(Mutant::artifact_before_blob)) co_await state_.env().artifacts->keep(state_.view().id, draft);
    co_return std::move(saving.saved);
}

}  // namespace cadre::engine
