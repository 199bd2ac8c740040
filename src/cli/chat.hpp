// A chat: messages in, a task of the session for each, its answer out.
#pragma once

#include "base/async_fwd.hpp"
#include "cli/chat_input.hpp"
#include "engine/session.hpp"
#include "home/project/prepare_task.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

class VerbContext;

/// A line that begins with a slash and a word: what the word is, and what stands behind it. Nothing for a message.
struct ChatCommand {
    std::string name{};
    std::string argument{};
};
std::optional<ChatCommand> chat_command(std::string_view line);

/// The conversation as people keep it.
std::string markdown_of(const std::string& session, const std::vector<engine::TurnMessage>& messages);

/// The session that was asked for: nothing when it is a new one, and then `id` says how it will be called.
struct FoundSession {
    std::string id{};
    std::optional<engine::SessionHead> head{};
};
/// By its id or the first letters of it. Throws Error(not_found).
Async<FoundSession> find_session(VerbContext& command, std::string wanted);
/// The newest of the home. Throws Error(not_found) when there is none.
Async<FoundSession> newest_session(VerbContext& command);

/// Lives as long as its run().
class Chat {
public:
    Chat(VerbContext& command, home::RunRequest wanted, std::optional<std::string> session);

    /// The exit code; throws what ends it.
    Async<int> run();

private:
    using Act = Async<> (Chat::*)(std::string);
    struct Command;
    static const std::vector<Command>& commands();

    Async<> begin();
    Async<> take(std::string line);
    Async<> say(std::string text);
    Async<> see_through(Id task, std::uint32_t seen);
    Async<> tell_of_open_turn();
    Async<> good_bye();
    Async<std::optional<engine::SessionHead>> head();
    Async<model::Team> team();

    Async<> help(std::string);
    Async<> go_on(std::string);
    Async<> model(std::string spec);
    Async<> tools(std::string);
    Async<> undo(std::string);
    Async<> save(std::string file);
    Async<> quit(std::string);

    VerbContext& command_;
    home::RunRequest wanted_;
    std::optional<std::string> asked_for_;
    std::string session_;
    std::optional<home::PreparedTask> work_;  // nothing: what the session's last turn had
    std::string model_;                       // wins over all that; empty: it does not
    std::unique_ptr<ChatInput> input_;
    bool has_turns_ = false;
    std::optional<Id> passed_over_;  // the last turn, when it ended badly and somebody wanted it undone
    bool over_ = false;
    int exit_ = 0;
};

}  // namespace cadre::cli
