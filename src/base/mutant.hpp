// Mutants: deliberate faults, there to show that the simulator would see them. Presets that are not shipped have them
// (CADRE_MUTANTS) and the simulator switches one on at a time; a release has none, and there the question costs nothing.
#pragma once

namespace cadre {

enum class Mutant {
    none,
    redo_unresolved_intent,   // a once call without outcome is dispatched again
    dispatch_before_durable,  // an effect leaves before its intent is on the disk
    ack_before_durable,       // inputs and tasks are acknowledged before they are on the disk
    no_replay_gate,           // live effects begin while others still replay
    sibling_cancel_not_recorded,
    join_reports_cancellation,  // a join's failure is the cancellation of a sibling
    park_before_durable,
    second_answer_accepted,
    timer_lost_on_restart,
    budget_at_outcome,  // spending is counted when it has happened
    cancel_ignored_by_new_intents,
    lost_wake_up,            // an answer does not wake its effect
    event_dropped,           // one public event is not counted
    new_key_on_redispatch,   // a repeated dispatch carries another key
    unused_records_ignored,  // the run goes on although the journal holds more
    stale_epoch_accepted,
    other_tenants_seen,  // whose a thing is, is not looked at
    winners_not_recorded,
    loser_not_cancelled,
    cancelled_at_once_in_replay,  // a failure or a win is not held back until the records of the others are used
    seat_taken_in_replay,
    merged_in_finish_order,
    child_spending_not_counted,  // a restart forgets what delegated tasks have spent
    heed_skipped_when_empty,     // that nothing was changed is not recorded
};

#ifdef CADRE_MUTANTS
inline Mutant active_mutant = Mutant::none;
inline bool is_mutant(Mutant mutant)
{
    return active_mutant == mutant;
}
#else
constexpr bool is_mutant(Mutant)
{
    return false;
}
#endif

}  // namespace cadre
