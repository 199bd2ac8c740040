#include "engine/budget.hpp"

#include "base/error.hpp"
#include "base/mutant.hpp"
#include "model/describe.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

namespace cadre::engine {

namespace {

using model::field;

bool exceeds(double spent, double reserved, double amount, double limit)
{
    return spent + reserved + amount > limit;
}

Shortage compare(double spent, double reserved, double amount, double limit, Shortage what)
{
    if (is_mutant(Mutant::budget_at_outcome)) return exceeds(spent, 0, 0, limit) ? what : Shortage::none;
    if (!exceeds(spent, reserved, amount, limit)) return Shortage::none;
    return exceeds(spent, 0, amount, limit) ? what : Shortage::for_now;
}

[[noreturn]] void refuse_budget(std::string_view piece)
{
    throw Error(Code::invalid, "budget " + in_quotes(piece) +
                                   " is not understood; write 20000tokens, $0.50, 20steps or 5m, several with commas");
}

template <class Number>
Number number_in(std::string_view digits, std::string_view piece)
{
    Number number{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(number >= 0)) refuse_budget(piece);
    return number;
}

void read_piece(Budget& budget, std::string_view piece)
{
    constexpr std::string_view kTokens = "tokens";
    constexpr std::string_view kSteps = "steps";
    if (piece.starts_with('$')) {
        budget.cost = number_in<double>(piece.substr(1), piece);
    } else if (piece.ends_with(kTokens)) {
        budget.tokens = number_in<std::int64_t>(piece.substr(0, piece.size() - kTokens.size()), piece);
    } else if (piece.ends_with(kSteps)) {
        budget.steps = number_in<int>(piece.substr(0, piece.size() - kSteps.size()), piece);
    } else {
        try {
            budget.wall_ms = duration_from(piece).count();
        } catch (const Error&) {
            refuse_budget(piece);
        }
    }
}

}  // namespace

const model::Entity& describe(const Budget*)
{
    static const model::Entity entity{
        "budget",
        "What a task may spend before it stops.",
        {
            field("tokens", &Budget::tokens, "Tokens in and out together.", {.min = 0}),
            field("cost", &Budget::cost, "US dollars.", {.min = 0}),
            field("steps", &Budget::steps, "Model calls.", {.min = 0}),
            field("wall_ms", &Budget::wall_ms, "Milliseconds of running; waiting for people is not counted.",
                  {.min = 0}),
            field("depth", &Budget::depth, "How deep tasks may delegate to other tasks.", {.min = 0}),
            field("iterations", &Budget::iterations, "Nodes of a workflow, and turns in them.",
                  {.min = 0, .extension = true}),
        }};
    return entity;
}

const model::Entity& describe(const Spending*)
{
    static const model::Entity entity{
        "spending",
        "What model calls have cost.",
        {
            field("tokens", &Spending::tokens, "Tokens in and out together.", {.min = 0}),
            field("cost", &Spending::cost, "US dollars.", {.min = 0}),
            field("steps", &Spending::steps, "Model calls.", {.min = 0}),
            field("iterations", &Spending::iterations, "Nodes of a workflow, and turns in them.",
                  {.min = 0, .extension = true}),
        }};
    return entity;
}

Budget budget_from(std::string_view text)
{
    Budget budget;
    while (true) {
        const auto comma = text.find(',');
        std::string_view piece = text.substr(0, comma);
        while (piece.starts_with(' ')) piece.remove_prefix(1);
        while (piece.ends_with(' ')) piece.remove_suffix(1);
        read_piece(budget, piece);
        if (comma == std::string_view::npos) return budget;
        text.remove_prefix(comma + 1);
    }
}

Spending& Spending::operator+=(const Spending& other)
{
    tokens += other.tokens;
    cost += other.cost;
    steps += other.steps;
    iterations += other.iterations;
    return *this;
}

Spending& Spending::operator-=(const Spending& other)
{
    tokens -= other.tokens;
    cost -= other.cost;
    steps -= other.steps;
    iterations -= other.iterations;
    return *this;
}

Shortage Account::shortage(const Spending& amount) const
{
    const auto first = [](Shortage a, Shortage b) { return a != Shortage::none ? a : b; };
    Shortage found = Shortage::none;
    if (budget_.steps)
        found = first(found, compare(spent_.steps, reserved_.steps, amount.steps, *budget_.steps, Shortage::steps));
    // what is reserved of these never comes back
    if (const auto most = iteration_limit(); most && amount.iterations > 0)
        if (spent_.iterations + reserved_.iterations + amount.iterations > *most)
            found = first(found, Shortage::iterations);
    if (budget_.tokens) {
        const auto limit = static_cast<double>(*budget_.tokens);
        found = first(found, compare(static_cast<double>(spent_.tokens), static_cast<double>(reserved_.tokens),
                                     static_cast<double>(amount.tokens), limit, Shortage::tokens));
    }
    if (budget_.cost) {
        // what a call will cost is not always known before; when nothing is left, there is no next one
        if (spent_.cost >= *budget_.cost) found = first(found, Shortage::cost);
        found = first(found, compare(spent_.cost, reserved_.cost, amount.cost, *budget_.cost, Shortage::cost));
    }
    return found;
}

std::optional<std::int64_t> Account::tokens_left() const
{
    std::optional<std::int64_t> least = parent_ ? parent_->tokens_left() : std::nullopt;
    if (!budget_.tokens) return least;
    const std::int64_t mine = std::max<std::int64_t>(*budget_.tokens - spent_.tokens - reserved_.tokens, 1);
    return least ? std::min(*least, mine) : mine;
}

std::optional<double> Account::cost_left() const
{
    std::optional<double> least = parent_ ? parent_->cost_left() : std::nullopt;
    if (!budget_.cost) return least;
    const double mine = std::max(*budget_.cost - spent_.cost - reserved_.cost, 0.0);
    return least ? std::min(*least, mine) : mine;
}

bool Account::is_bounded() const
{
    return budget_.tokens || budget_.cost || (parent_ && parent_->is_bounded());
}

std::optional<int> Account::iteration_limit() const
{
    if (!most_iterations_ || !budget_.iterations) return most_iterations_ ? most_iterations_ : budget_.iterations;
    return std::min(*most_iterations_, *budget_.iterations);
}

bool Account::counts_iterations() const
{
    return iteration_limit() || (parent_ && parent_->counts_iterations());
}

Shortage Account::reserve(const Spending& amount)
{
    for (const Account* account = this; account; account = account->parent_.get())
        if (const Shortage found = account->shortage(amount); found != Shortage::none) return found;
    for (Account* account = this; account; account = account->parent_.get()) account->reserved_ += amount;
    return Shortage::none;
}

void Account::settle(const Spending& reserved, const Spending& spent)
{
    for (Account* account = this; account; account = account->parent_.get()) {
        account->reserved_ -= reserved;
        account->spent_ += spent;
    }
}

const Account& Account::lacking(const Spending& amount) const
{
    for (const Account* account = this; account; account = account->parent_.get())
        if (account->shortage(amount) != Shortage::none) return *account;
    return *this;
}

Account& Account::root()
{
    Account* top = this;
    while (top->parent_) top = top->parent_.get();
    return *top;
}

void Account::tell_refund() noexcept
{
    auto& listeners = root().listeners_;
    for (auto* listener = listeners.front(); listener; listener = listeners.after(*listener)) listener->on_refund();
}

void Account::tell_raise() noexcept
{
    auto& listeners = root().listeners_;
    for (auto* listener = listeners.front(); listener; listener = listeners.after(*listener)) listener->on_raise();
}

std::string dollars(double amount)
{
    if (amount <= 0 || amount >= 0.001) return fmt::format("${:.4f}", amount);
    std::string text = fmt::format("${:.8f}", amount);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? "$0.0000" : text;
}

std::string explain(Shortage shortage, const Account& account, const Spending& needed)
{
    const Budget& budget = account.budget();
    const Spending& spent = account.spent();
    switch (shortage) {
    case Shortage::tokens:
        return fmt::format("the budget of {} tokens is used up ({} spent, {} needed for the next call)",
                           budget.tokens.value_or(0), spent.tokens, needed.tokens);
    case Shortage::cost:
        return fmt::format("the budget of {} is used up ({} spent, {} needed for the next call)",
                           dollars(budget.cost.value_or(0)), dollars(spent.cost), dollars(needed.cost));
    case Shortage::steps: return fmt::format("max_steps ({}) reached", budget.steps.value_or(0));
    case Shortage::iterations: return fmt::format("max_iterations ({}) reached", account.iteration_limit().value_or(0));
    case Shortage::for_now:
    case Shortage::none: break;
    }
    return "the budget is used up";
}

}  // namespace cadre::engine
