#include "mcp/mock/line_server.hpp"

#include "base/timeout.hpp"

#include <utility>

namespace cadre::mcp::mock {

LineServer::LineServer(Loop& loop, MockServer& server, Ways ways)
    : loop_(loop), server_(server), ways_(std::move(ways)), writer_(loop)
{}

void LineServer::take(std::string_view line)
{
    writer_.rethrow_failure();
    std::erase_if(plays_, [](const auto& one) { return one.second->size() == 0; });
    std::vector<Message> messages;
    try {
        messages = read_messages(line);
    } catch (const Error& error) {
        for (Step& step : MockServer::refuse(error).steps) say(std::move(step.line));
        return;
    }
    for (const Message& message : messages) {
        Reaction reaction = server_.receive(message, session_);
        if (reaction.cancels) plays_.erase(to_text(*reaction.cancels));
        const auto* request = std::get_if<Request>(&message);
        if (!request) continue;
        auto& scope = plays_[to_text(request->id)];
        if (!scope) scope = std::make_unique<AsyncScope>(loop_);
        scope->spawn(play(std::move(reaction)));
    }
}

Async<> LineServer::play(Reaction reaction)
{
    for (Step& step : reaction.steps) {
        if (step.pause > Millis{0}) co_await sleep_for(step.pause);
        if (!step.line.empty()) say(std::move(step.line));
        if (!step.exit) continue;
        ways_.exit(*step.exit);
        co_return;
    }
    if (reaction.changed)
        for (std::string& line : MockServer::notices(session_)) say(std::move(line));
}

void LineServer::say(std::string line)
{
    outbox_ += line;
    outbox_ += '\n';
    if (!writing_) writer_.spawn(write());
}

Async<> LineServer::write()
{
    writing_ = true;
    while (!outbox_.empty()) {
        std::string text = std::exchange(outbox_, {});
        co_await ways_.write(std::move(text));
    }
    writing_ = false;
}

Async<> LineServer::end()
{
    plays_.clear();
    co_await writer_.join();
}

}  // namespace cadre::mcp::mock
