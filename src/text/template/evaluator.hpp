// Runs what was parsed, once.
#pragma once

#include "text/template/arguments.hpp"
#include "text/template/meter.hpp"
#include "text/template/scope.hpp"
#include "text/template/syntax.hpp"

#include <string>
#include <vector>

namespace cadre::text::tpl {

class Evaluator {
public:
    /// Both must outlive it.
    Evaluator(const Program& program, const Scope& scope);

    std::string render();
    // of an expression; what is undefined is a failure
    Value evaluate();
    bool truth();
    std::string repr();

private:
    struct Local {
        NameId id;
        Value value;
    };
    /// Names that are set within it are gone when it is.
    class Frame {
    public:
        explicit Frame(Evaluator& evaluator) : evaluator_(evaluator), outer_(evaluator.frame_)
        {
            evaluator_.frame_ = start_ = evaluator_.locals_.size();
        }
        ~Frame()
        {
            clear();
            evaluator_.frame_ = outer_;
        }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;
        void clear()
        {
            evaluator_.locals_.erase(evaluator_.locals_.begin() + static_cast<std::ptrdiff_t>(start_),
                                     evaluator_.locals_.end());
        }

    private:
        Evaluator& evaluator_;
        std::size_t outer_;
        std::size_t start_;
    };

    template <class Work>
    auto guarded(Work work);

    Value result();
    Value plain(const Value& value);
    Value eval(const Expr& expr);
    bool test(const Expr& expr);
    std::vector<Value> eval_all(const std::vector<Expr>& exprs);
    Value eval_name(const Expr& expr);
    const Value* find_name(NameId id);
    Value located(Value value, const Expr& expr) const;
    Value eval_dict(const Expr& expr);
    Value eval_arithmetic(const Expr& expr);
    Value eval_concat(const Expr& expr);
    bool eval_comparison(const Expr& expr);
    Value eval_conditional(const Expr& expr);
    Value eval_chain(const Expr& chain, Value start, std::size_t first_step);
    Value eval_step(const Value& value, const Expr& step);
    bool is_range_call(const Expr& chain);
    Arguments eval_arguments(const Expr& step);
    Value run_filter(const Value& value, const Expr& step);

    void run(const std::vector<Node>& body, std::string& out);
    void run(const Node& node, std::string& out);
    void append(std::string& out, std::string_view text);
    void run_condition(const Node& node, std::string& out);
    void run_loop(const Node& node, std::string& out);
    Value selected_items(const Node& node, const Value& items);
    void run_with(const Node& node, std::string& out);
    void run_include(const Node& node, std::string& out);
    Value captured(const Node& node);
    void assign(const Target& target, const Value& value);
    void set_local(NameId id, Value value);
    Value spread_again(const Target& target);

    const Program& program_;
    const Scope& scope_;
    Meter meter_{};
    const Unit* unit_;
    std::uint32_t at_ = 0;
    std::vector<Local> locals_{};
    std::size_t frame_ = 0;    // where the locals of the innermost frame begin
    std::size_t visible_ = 0;  // locals before it are hidden: an include without context
    bool isolated_ = false;    // so is the scope
    std::size_t includes_ = 0;
    std::vector<const Value*> found_;  // by name, once it was looked up in the scope
    std::vector<bool> looked_up_;
};

}  // namespace cadre::text::tpl
