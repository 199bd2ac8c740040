#include "llm/window_plan.hpp"

#include "base/plural.hpp"
#include "base/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace cadre::llm {

namespace {

/// Results of so many turns of the model, the last ones, are left as they are as long as that helps.
constexpr std::size_t kFreshTurns = 2;
/// Bytes that stay of a message that is cut, one after the other until it fits.
constexpr std::size_t kHeads[] = {2000, 500, 120, 40, 0};
/// Where less stays there is no room to say where the rest is.
constexpr std::size_t kLeastWithNote = 500;

std::string grouped(std::size_t number)
{
    std::string digits = std::to_string(number);
    for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
    return digits;
}

std::size_t characters(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string where(std::string_view file)
{
    return file.empty() ? std::string("left out") : fmt::format("read_file {}", file);
}

/// What a conversation turns around.
struct Pivots {
    std::optional<std::size_t> first_user{}, newest_user{};
    std::size_t newest_turn = 0;  // where it begins: with the last message that is no result

    explicit Pivots(Conversation messages)
    {
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (messages[i]->role != model::Role::tool) newest_turn = i;
            if (messages[i]->role != model::Role::user || is_summary(*messages[i])) continue;
            if (!first_user) first_user = i;
            newest_user = i;
        }
    }
    bool is_newest(std::size_t i) const { return i >= newest_turn || i == newest_user; }
    Weight held(std::size_t i, const Weight& weight) const { return {is_newest(i) ? 0 : weight.tokens, weight.most}; }
};

class Planner {
public:
    explicit Planner(const WindowTask& task) : task_(task), at_(task.messages)
    {
        for (const auto& message : task.messages) weights_.push_back(task.weigh(message));
        cut_.resize(weights_.size());
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            plan_.before += weights_[i];
            total_ += held(i);
        }
    }

    WindowPlan plan()
    {
        cut_above_limit();
        if (!total_.fits(task_.target)) shorten_old_results();
        if (!total_.fits(task_.target)) sum_up_turns();
        if (!total_.fits(task_.target)) cut_long_ones(kHeads[0], task_.target);
        for (const std::size_t head : kHeads) cut_long_ones(head, task_.limit);
        if (!total_.fits(task_.limit)) {
            sum_up_to(weights_.size());
            for (const std::size_t head : kHeads) cut_long_ones(head, task_.limit);
        }
        plan_.fits = total_.fits(task_.limit);
        if (plan_.kept.size() < plan_.upto) plan_.after = task_.summary;
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (stays(i)) plan_.after += weights_[i];
        for (std::size_t i = 0; i < cut_.size(); ++i)
            if (cut_[i] && stays(i)) plan_.cuts.push_back(std::move(*cut_[i]));
        return std::move(plan_);
    }

private:
    const Message& at(std::size_t i) const { return *task_.messages[i]; }
    Weight held(std::size_t i) const { return at_.held(i, weights_[i]); }
    bool stays(std::size_t i) const { return i >= plan_.upto || std::ranges::find(plan_.kept, i) != plan_.kept.end(); }

    std::string file_of(std::size_t i) const { return task_.file_of ? task_.file_of(at(i)) : std::string(); }

    void set(std::size_t i, std::string text, std::string file)
    {
        auto shorter = std::make_shared<Message>(at(i));
        shorter->text = text;
        shorter->images.clear();
        const Weight weight = task_.weigh(shorter);
        if (weight.tokens >= weights_[i].tokens && weight.most >= weights_[i].most) return;
        if (stays(i)) total_ = total_ - held(i) + at_.held(i, weight);
        weights_[i] = weight;
        cut_[i] = Cut{i, std::move(text), std::move(file)};
    }

    void cut_above_limit()
    {
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (!held(i).fits(task_.limit) && !is_summary(at(i))) cut(i, kHeads[0]);
    }

    std::string tool_of(std::size_t result) const
    {
        for (std::size_t i = result; i-- > 0;)
            for (const model::ToolCall& call : at(i).calls)
                if (call.id == at(result).call_id) return call.tool_name;
        return "a tool";
    }

    void shorten_old_results()
    {
        std::size_t fresh_from = weights_.size();
        for (std::size_t turns = 0; fresh_from > 0 && turns < kFreshTurns;)
            if (at(--fresh_from).role == model::Role::assistant) ++turns;
        for (std::size_t i = 0; i < fresh_from && !total_.fits(task_.target); ++i) {
            if (at(i).role != model::Role::tool) continue;
            std::string file = file_of(i);
            std::string text = fmt::format("[result of {}, {} characters: {}]", tool_of(i),
                                           grouped(characters(at(i).text)), where(file));
            set(i, std::move(text), std::move(file));
        }
    }

    /// Behind whole turns only: never between a call and its results.
    void sum_up_turns()
    {
        std::size_t best = 0;
        for (std::size_t upto = 1; upto <= at_.newest_turn; ++upto) {
            if (at(upto).role == model::Role::tool) continue;
            best = upto;
            if (total_at(upto).fits(task_.target)) break;
        }
        if (best > 0) sum_up_to(best);
    }

    std::vector<std::size_t> kept_before(std::size_t upto) const
    {
        std::vector<std::size_t> kept;
        for (const auto& user : {at_.first_user, at_.newest_user})
            if (user && *user < upto && (kept.empty() || kept.back() != *user)) kept.push_back(*user);
        return kept;
    }

    /// What is left when everything before that is summed up.
    Weight total_at(std::size_t upto) const
    {
        const auto kept = kept_before(upto);
        Weight total = kept.size() < upto ? task_.summary : Weight{};
        for (const std::size_t i : kept) total += held(i);
        for (std::size_t i = upto; i < weights_.size(); ++i) total += held(i);
        return total;
    }

    void sum_up_to(std::size_t upto)
    {
        auto kept = kept_before(upto);
        if (kept.size() == upto) return;  // there would be nothing to sum up
        const Weight total = total_at(upto);
        if (total.tokens >= total_.tokens && total.most >= total_.most) return;  // nor would it help
        plan_.upto = upto;
        plan_.kept = std::move(kept);
        total_ = total;
    }

    /// The heaviest first, the newest message of the user last.
    void cut_long_ones(std::size_t head, const Weight& goal)
    {
        if (total_.fits(goal)) return;
        std::vector<std::size_t> long_ones;
        for (std::size_t i = 0; i < weights_.size(); ++i)
            if (stays(i) && !is_summary(at(i)) && (at(i).text.size() > head || !at(i).images.empty()))
                long_ones.push_back(i);
        std::ranges::sort(long_ones, {},
                          [&](std::size_t i) { return std::tuple(i == at_.newest_user, -weights_[i].most, i); });
        for (const std::size_t i : long_ones) {
            if (total_.fits(goal)) return;
            cut(i, head);
        }
    }

    void cut(std::size_t i, std::size_t head)
    {
        const Message& message = at(i);
        std::string text(utf8_prefix(message.text, head)), file, note;
        if (text.size() < message.text.size() && head < kLeastWithNote) {
            note = "…";
        } else if (text.size() < message.text.size()) {
            file = file_of(i);
            note = fmt::format("{} more characters: {}", grouped(characters(message.text) - characters(text)),
                               where(file));
        }
        if (!message.images.empty())
            note += fmt::format("{}{} left out", note.empty() ? "" : "; ", plural(message.images.size(), "image"));
        if (note.empty()) return;
        if (!text.empty()) text += ' ';
        set(i, text + '[' + note + ']', std::move(file));
    }

    const WindowTask& task_;
    const Pivots at_;
    std::vector<Weight> weights_;  // as they are by now
    std::vector<std::optional<Cut>> cut_;
    Weight total_{};  // held against the limit
    WindowPlan plan_;
};

}  // namespace

Weight& Weight::operator+=(const Weight& other)
{
    tokens += other.tokens;
    most += other.most;
    return *this;
}

Weight& Weight::operator-=(const Weight& other)
{
    tokens -= other.tokens;
    most -= other.most;
    return *this;
}

Weight operator+(Weight one, const Weight& other)
{
    return one += other;
}

Weight operator-(Weight one, const Weight& other)
{
    return one -= other;
}

Weight percent(const Weight& weight, std::int64_t hundredths)
{
    const auto of = [&](std::int64_t number) { return number / 100 * hundredths + number % 100 * hundredths / 100; };
    return {of(weight.tokens), of(weight.most)};
}

Weight most_of(const Weight& one, const Weight& other)
{
    return {std::max(one.tokens, other.tokens), std::max(one.most, other.most)};
}

bool is_summary(const Message& message)
{
    return message.role == model::Role::user && message.text.starts_with(kSummaryStart);
}

Weight held_weight(Conversation messages, const Weigh& weigh)
{
    const Pivots at(messages);
    Weight held{};
    for (std::size_t i = 0; i < messages.size(); ++i) held += at.held(i, weigh(messages[i]));
    return held;
}

WindowPlan plan_window(const WindowTask& task)
{
    return Planner(task).plan();
}

std::vector<std::size_t> summed_up(const WindowPlan& plan)
{
    std::vector<std::size_t> gone;
    for (std::size_t i = 0; i < plan.upto; ++i)
        if (std::ranges::find(plan.kept, i) == plan.kept.end()) gone.push_back(i);
    return gone;
}

}  // namespace cadre::llm
