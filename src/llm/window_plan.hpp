// What becomes of a conversation that has outgrown its model's window: which messages stay, which are cut, which are summed up.
// Functions of values: who counts tokens, keeps files and asks a model for a summary is elsewhere.
#pragma once

#include "llm/model.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre::llm {

/// Tokens as they are counted here, and as many as the vendor may count at most.
struct Weight {
    std::int64_t tokens = 0;
    std::int64_t most = 0;

    Weight& operator+=(const Weight& other);
    Weight& operator-=(const Weight& other);
    bool fits(const Weight& limit) const { return tokens <= limit.tokens && most <= limit.most; }
    bool operator==(const Weight&) const = default;
};
Weight operator+(Weight one, const Weight& other);
Weight operator-(Weight one, const Weight& other);
/// So many hundredths of it.
Weight percent(const Weight& weight, std::int64_t hundredths);
/// The larger of both, in each way.
Weight most_of(const Weight& one, const Weight& other);

using Conversation = std::span<const std::shared_ptr<const Message>>;

/// What a summary in a conversation begins with, so that it is known again.
inline constexpr std::string_view kSummaryStart = "What was said before, in short:\n";
bool is_summary(const Message& message);

/// Another text for a message, which loses its images too. Its whole text is kept in `file`, unless that is empty.
struct Cut {
    std::size_t message = 0;
    std::string text{};
    std::string file{};

    bool operator==(const Cut&) const = default;
};

/// Of the messages before `upto` those in `kept` stay, and behind them stands a summary of the others.
struct WindowPlan {
    std::vector<Cut> cuts{};
    std::size_t upto = 0;
    std::vector<std::size_t> kept{};
    Weight before{}, after{};  // of all; `after` with the longest summary that there may be
    bool fits = true;          // false: not even with everything gone that can go
};

using Weigh = std::function<Weight(const std::shared_ptr<const Message>&)>;

/// What is held against a limit. The newest turn and the newest message of the user are no memory: they count for the vendor alone.
Weight held_weight(Conversation messages, const Weigh& weigh);

struct WindowTask {
    Conversation messages{};
    Weigh weigh{};
    Weight limit{};    // that it must not exceed
    Weight target{};   // down to that, if it does
    Weight summary{};  // what a summary may weigh; nothing: there is none
    /// Where the agent can read the whole text of a message; null: nowhere.
    std::function<std::string(const Message&)> file_of{};
};

/// First what alone is above the limit is cut, then results of tools give way that are older than two turns of the model; then whole old turns go into a summary; then
/// what is still too long is cut. A call and its results stay together, and so do the first and the newest message of the user.
WindowPlan plan_window(const WindowTask& task);

/// The messages that go into the summary, in their order.
std::vector<std::size_t> summed_up(const WindowPlan& plan);

}  // namespace cadre::llm
