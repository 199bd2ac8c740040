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
    verdict_taken_again,         // a check that is on record is made again
    compaction_decided_again,    // a conversation that was left as it is may be made shorter after a restart
    remembered_twice,            // what a crash left unrecorded is remembered under another id
    artifact_before_blob,        // a file is on record before its content is kept
    sent_twice,                  // channels that take no key are treated like those that do
    queued_turn_lost,            // a turn that has ended does not begin the one that waits for it
    handoff_not_recorded,        // who speaks next is told, but not recorded
    vote_counted_twice,          // the first vote of a round counts again
    sync_point_passed_early,     // whoever arrives at a sync point does not wait for the last one
    plan_edit_lost,              // an edited plan is heard, and the old one is worked on
    running_item_removed,        // an edit may take away what is at work
    running_time_by_wall_clock,  // downtime and a clock that is set count as time of running
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
