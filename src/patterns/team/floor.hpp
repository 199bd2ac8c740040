// Floor: what a team has said so far about a task, and what each agent hears of it before its turn.
#pragma once

#include "patterns/team/turn.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::engine {
class Run;
struct Agent;
}  // namespace cadre::engine

namespace cadre::patterns {

class Floor {
public:
    /// The task of the run.
    explicit Floor(const engine::Run& run);
    /// Another one. Most agents who are asked something else need not know what was said in the session before.
    explicit Floor(std::string task, bool hears_session = false) : task_(std::move(task)), hears_session_(hears_session)
    {}

    const std::string& task() const { return task_; }
    /// In the order in which they count, which is never that of time.
    void add(Turn turn);
    /// For everybody: objections, criteria that are not met.
    void note(std::string text);
    bool has_heard(std::string_view agent) const;

    /// What the team has come to by the end of that turn, which need not be on the floor yet; conditions and templates call it
    /// `state`: everything that was passed on as context of handoffs, `current_agent`, `turns`, `handoffs`, and `answers` by agent.
    boost::json::object state_after(const Turn& turn) const;
    /// The same while it is that agent's turn.
    boost::json::object state_before(const std::string& agent) const;

    /// Tells the scope what the agent is to hear: the session, the task, all answers (its own as its own), and why it was called.
    void tell(engine::Run& run, const engine::Agent& agent) const;

private:
    struct Heard {
        Turn turn{};              // without an agent: a note
        bool was_beside = false;  // another one's turn
    };

    boost::json::object state_with(const std::string& agent, const Turn* last) const;

    std::string task_;
    bool hears_session_ = false;
    std::vector<Heard> heard_;
};

}  // namespace cadre::patterns
