#include "model/status.hpp"

#include "model/task.hpp"
#include "model/wire_name.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::model;
using enum TaskStatus;

TEST_CASE("every status has its word at every boundary")  // UNI-02 U
{
    struct {
        TaskStatus status;
        const char *framework, *sub_agent, *conversation, *orchestration, *domains, *agentx, *agentx_final;
    } const cases[] = {
        {pending, "pending", "running", "created", "submitted", "Created", "pending", ""},
        {running, "running", "running", "planning", "working", "Active", "running", ""},
        {paused, "running", "running", "planning", "working", "Active", "paused", ""},
        {waiting, "running", "running", "planning", "input-required", "Active", "paused", ""},
        {completed, "completed", "completed", "completed", "completed", "Active", "completed", "success"},
        {failed, "failed", "failed", "failed", "failed", "Active", "failed", "error"},
        {cancelled, "failed", "failed", "failed", "canceled", "Active", "cancelled", "cancelled"},
    };
    for (const auto& c : cases) {
        CAPTURE(wire_name(c.status));
        CHECK(status_word(c.status, Boundary::framework) == c.framework);
        CHECK(status_word(c.status, Boundary::sub_agent) == c.sub_agent);
        CHECK(status_word(c.status, Boundary::conversation) == c.conversation);
        CHECK(status_word(c.status, Boundary::orchestration) == c.orchestration);
        CHECK(status_word(c.status, Boundary::domains) == c.domains);
        CHECK(status_word(c.status, Boundary::agentx) == c.agentx);
        CHECK(status_word(c.status, Boundary::agentx_final) == c.agentx_final);
    }
    CHECK(std::size(cases) == 7);
}

TEST_CASE("a word that is read means the plainest status that it stands for")
{
    struct {
        const char* word;
        Boundary boundary;
        std::optional<TaskStatus> means;
    } const cases[] = {
        {"pending", Boundary::framework, pending},
        {"running", Boundary::framework, running},
        {"failed", Boundary::framework, failed},
        {"paused", Boundary::framework, std::nullopt},  // the document has four words
        {"running", Boundary::sub_agent, running},
        {"submitted", Boundary::orchestration, pending},
        {"working", Boundary::orchestration, running},
        {"input-required", Boundary::orchestration, waiting},
        {"canceled", Boundary::orchestration, cancelled},
        {"cancelled", Boundary::orchestration, cancelled},
        {"unknown", Boundary::orchestration, std::nullopt},
        {"paused", Boundary::agentx, paused},
        {"cancelled", Boundary::agentx, cancelled},
        {"canceled", Boundary::agentx, cancelled},
        {"success", Boundary::agentx_final, completed},
        {"error", Boundary::agentx_final, failed},
        {"", Boundary::agentx_final, std::nullopt},
    };
    for (const auto& c : cases) {
        CAPTURE(c.word);
        CHECK(find_status(c.word, c.boundary) == c.means);
    }
}

TEST_CASE("004 is told one of its four reasons for a pause")
{
    struct {
        TaskStatus status;
        std::optional<PauseReason> reason;
        std::optional<std::string_view> word;
    } const cases[] = {
        {paused, PauseReason::step_mode, "step_mode"},
        {paused, PauseReason::breakpoint, "breakpoint"},
        {paused, PauseReason::user_request, "user_request"},
        {paused, PauseReason::diverged, "hitl_intervention"},
        {paused, PauseReason::budget, "hitl_intervention"},
        {waiting, std::nullopt, "hitl_intervention"},
        {running, std::nullopt, std::nullopt},
        {completed, std::nullopt, std::nullopt},
    };
    for (const auto& c : cases) CHECK(agentx_pause_reason(c.status, c.reason) == c.word);
}

TEST_CASE("001's phase is the task's own while it runs, and what its status says before and after")
{
    CHECK(phase_of(pending, std::nullopt) == Phase::created);
    CHECK(phase_of(running, std::nullopt) == Phase::planning);
    CHECK(phase_of(running, Phase::validating) == Phase::validating);
    CHECK(phase_of(paused, Phase::composing) == Phase::composing);
    CHECK(phase_of(waiting, Phase::sending) == Phase::sending);
    CHECK(phase_of(completed, Phase::failed) == Phase::completed);
    CHECK(phase_of(failed, Phase::sending) == Phase::failed);
    CHECK(phase_of(cancelled, Phase::sending) == Phase::failed);
}
