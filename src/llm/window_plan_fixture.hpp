// Conversations of every shape, and what must hold of whatever is left of them.
#pragma once

#include "base/random.hpp"
#include "llm/window_plan.hpp"
#include "llm/wire/turns.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace cadre::llm::testing {

using Messages = std::vector<std::shared_ptr<const Message>>;

inline void say(Messages& all, Message message)
{
    all.push_back(std::make_shared<const Message>(std::move(message)));
}

/// Mostly short, sometimes very long.
inline std::size_t some_size(Random& random)
{
    const std::size_t most[] = {20, 200, 2'000, 9'000, 70'000};
    return 1 + random.below(most[random.below(100) < 97 ? random.below(3) : 3 + random.below(2)]);
}

/// One more turn: somebody asks, or the model answers, perhaps with calls and their results.
inline void add_turn(Messages& all, Random& random)
{
    const std::string number = std::to_string(all.size());
    if (random.below(3) == 0) {
        Message user{.text = "user " + number + std::string(some_size(random), 'u')};
        if (random.below(10) == 0)
            user.images.resize(1 + random.below(3), Image{.media_type = "image/png", .data = "AA=="});
        return say(all, std::move(user));
    }
    Message answer{.role = model::Role::assistant, .text = "said " + number + std::string(some_size(random), 's')};
    const std::uint64_t calls = random.below(2) == 0 ? random.below(6) : 0;
    for (std::uint64_t i = 0; i < calls; ++i) {
        model::ToolCall call{.id = "call_" + number + "_" + std::to_string(i), .tool_name = "search"};
        call.args["q"] = std::string(random.below(50) == 0 ? some_size(random) : 5, 'q');
        answer.calls.push_back(std::move(call));
    }
    const auto made = answer.calls;
    say(all, std::move(answer));
    for (const model::ToolCall& call : made)
        say(all,
            {.role = model::Role::tool, .text = "found " + std::string(some_size(random), 'r'), .call_id = call.id});
}

/// Four bytes are a token, and a token is at most two bytes.
inline Weight weigh(const std::shared_ptr<const Message>& message)
{
    std::int64_t bytes = static_cast<std::int64_t>(message->text.size() + message->opaque.size());
    for (const model::ToolCall& call : message->calls)
        bytes += static_cast<std::int64_t>(boost::json::serialize(call.args).size() + call.tool_name.size());
    const auto images = static_cast<std::int64_t>(message->images.size());
    return {bytes / 4 + 16 + images * 3000, bytes / 2 + 16 + images * 3000};
}

inline Weight weight_of(const Messages& all)
{
    Weight sum{};
    for (const auto& message : all) sum += weigh(message);
    return sum;
}

/// As Run does it.
inline Messages after(const WindowPlan& plan, Messages all, const std::string& summary)
{
    for (const Cut& cut : plan.cuts) {
        Message shorter = *all[cut.message];
        shorter.text = cut.text;
        shorter.images.clear();
        all[cut.message] = std::make_shared<const Message>(std::move(shorter));
    }
    Messages now;
    for (const std::size_t kept : plan.kept) now.push_back(all[kept]);
    if (!summary.empty()) say(now, {.text = std::string(kSummaryStart) + summary});
    now.insert(now.end(), all.begin() + static_cast<std::ptrdiff_t>(plan.upto), all.end());
    return now;
}

/// People and model take turns, people begin, and every call has its result right behind it.
inline void check_turns(const Messages& all)
{
    for (const auto systems : {SystemMessages::in_place, SystemMessages::on_top}) {
        Request request{.messages = all};
        const Turns turns = turns_of(request, systems);
        REQUIRE_FALSE(turns.list.empty());
        CHECK_FALSE(turns.list.front().by_model);
        for (std::size_t i = 0; i < turns.list.size(); ++i) {
            const Turn& turn = turns.list[i];
            if (i > 0) CHECK(turn.by_model != turns.list[i - 1].by_model);
            for (const CallResult& result : turn.results) CHECK(result.message != nullptr);
            for (const Message* message : turn.messages) CHECK((turn.by_model || message->role != model::Role::tool));
        }
    }
}

}  // namespace cadre::llm::testing
