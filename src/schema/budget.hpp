// What checking one value may cost.
#pragma once

#include <cstddef>

namespace cadre::schema {

/// Counts work. No clock: the same value and schema cost the same everywhere.
class Budget {
public:
    Budget(std::size_t steps, std::size_t depth) : steps_(steps), depth_(depth), max_steps_(steps), max_depth_(depth) {}

    void spend(std::size_t steps)
    {
        if (steps > steps_) throw_spent();
        steps_ -= steps;
    }

    /// Stands for one level of nesting while it lives.
    class Level {
    public:
        explicit Level(Budget& budget) : budget_(budget)
        {
            if (budget.depth_ == 0) budget.throw_too_deep();
            --budget.depth_;
            budget.spend(1);
        }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        ~Level() { ++budget_.depth_; }

    private:
        Budget& budget_;
    };

private:
    [[noreturn]] void throw_spent() const;
    [[noreturn]] void throw_too_deep() const;

    std::size_t steps_;
    std::size_t depth_;
    std::size_t max_steps_;
    std::size_t max_depth_;
};

}  // namespace cadre::schema
