#include "engine/trace.hpp"

#include "engine/body.hpp"
#include "engine/effect_path.hpp"
#include "engine/node_end.hpp"
#include "engine/task_state.hpp"
#include "engine/trace_words.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cadre::engine {

using storage::Record;

namespace {

constexpr std::size_t kRoot = 0;

/// Patterns whose nodes somebody has named: those of a workflow, the items of a plan.
bool has_named_nodes(std::string_view pattern)
{
    return pattern.starts_with("graph@") || pattern.starts_with("plan@");
}

/// `x/meet` of `x/join:meet`: the node that begins when enough have come, whoever they are.
std::string joined_by(std::string_view path)
{
    const auto slash = path.rfind('/');
    const std::size_t own = slash == path.npos ? 0 : slash + 1;
    return std::string(path.substr(0, own)) + std::string(path.substr(path.find(':', own) + 1));
}

class Builder {
public:
    explicit Builder(std::span<const Record> records) : records_(records)
    {
        for (const Record& record : records)
            if (belongs_to_effect(record)) own_.insert(record.path);
        nodes_.push_back({.span = {.kind = SpanKind::task}, .parent = kRoot});
    }

    Trace build()
    {
        for (const Record& record : records_) take(record);
        Trace trace{.task = state_.id, .last = state_.updated_at};
        close_scopes();
        append(trace, kRoot, 0);
        return trace;
    }

private:
    struct Node {
        Span span;
        std::size_t parent;
        std::vector<std::size_t> inside{};
        bool is_scope = false;  // nothing is recorded of its beginning
    };

    std::size_t add(Span span, std::size_t parent)
    {
        nodes_.push_back({.span = std::move(span), .parent = parent});
        nodes_[parent].inside.push_back(nodes_.size() - 1);
        return nodes_.size() - 1;
    }

    /// A scope has no span of its own where it is that of a call that only asked: then the question stands for it.
    std::size_t scope(std::string_view path, Time at)
    {
        if (path.empty()) return kRoot;
        if (const auto found = places_.find(path); found != places_.end()) return found->second;
        const std::size_t parent = scope(outside(path), at);
        const bool is_call = scope_name(path).starts_with("use:");
        if (is_call && !own_.contains(path)) return parent;
        const std::size_t place = add({.kind = is_call ? SpanKind::call : SpanKind::node,
                                       .path = std::string(path),
                                       .name = scope_name(path),
                                       .begin = at,
                                       .is_named = has_named_nodes(state_.spec.pattern)},
                                      parent);
        nodes_[place].is_scope = !is_call;
        places_.emplace(path, place);
        return place;
    }

    /// The span of an effect; made when the first record of it comes.
    Span& effect(const Record& record, SpanKind kind)
    {
        auto found = places_.find(record.path);
        if (found == places_.end()) {
            const std::size_t parent = scope(outside(record.path), record.at);
            const std::size_t place = add({.kind = kind, .path = record.path, .begin = record.at}, parent);
            found = places_.emplace(record.path, place).first;
        }
        return nodes_[found->second].span;
    }

    void take(const Record& record)
    {
        note_gap(record);
        const Body body(record);
        apply(state_, record, body);
        body.visit(Take{*this, record});
        last_ = &record;
    }

    /// One record more; the state has it already.
    struct Take {
        Builder& builder;
        const Record& record;

        void operator()(const CreatedBody&) const
        {
            const TaskSpec& spec = builder.state_.spec;
            Span& task = builder.nodes_[kRoot].span;
            task.name = task.agent = spec.agent;
            task.input = spec.description;
            task.begin = record.at;
        }
        void operator()(const IntentBody& intent) const { std::visit(TakeIntent{builder, record, intent}, intent.of); }
        void operator()(const OutcomeBody& outcome) const
        {
            std::visit(TakeOutcome{builder, record, outcome}, outcome.of);
        }
        void operator()(const NodeDoneBody& done) const
        {
            if (is_compaction_plan(record.path)) return;
            Span& node = builder.nodes_[builder.scope(record.path, record.at)].span;
            node.error = dead_end_in(done.result);
            node.after = after_in(done.result);
            node.joins = node.after.size() > 1 || builder.joined_.contains(record.path);
            close(node, record.at, SpanStatus::done);
        }
        void operator()(const UnknownBody& unknown) const { builder.question(record, unknown.request.get()); }
        void operator()(const AnswerBody& given) const { builder.answer(record, given); }
        void operator()(const PauseBody&) const { builder.pause(record); }
        void operator()(const ResumeBody&) const
        {
            if (builder.pause_ != kRoot) close(builder.nodes_[builder.pause_].span, record.at, SpanStatus::done);
            builder.pause_ = kRoot;
        }
        void operator()(const CompletedBody&) const { builder.finish(record, SpanStatus::done); }
        void operator()(const FailedBody&) const { builder.finish(record, SpanStatus::failed); }
        void operator()(const CancelledBody&) const { builder.finish(record, SpanStatus::cancelled); }
        template <AnyOf<StartedBody, InstructionBody, CancelBody, SettingBody, LateResultBody, NoteBody,
                        AttemptFailedBody, UpkeepBody, NewerBody>
                      Other>
        void operator()(const Other&) const
        {}
    };

    struct TakeIntent {
        Builder& builder;
        const Record& record;
        const IntentBody& intent;

        void operator()(const ThinkIntent& think) const { begin(SpanKind::step, think.agent.str(), ""); }
        void operator()(const UseIntent& use) const
        {
            const model::ToolCall call = use.call.get();
            Span& span = begin(SpanKind::call, use.agent.str(), call.tool_name);
            span.input = to_text(boost::json::value(call.args));
        }
        void operator()(const AskIntent& ask) const { builder.question(record, ask.request.get()); }
        void operator()(const DelegateIntent& delegate) const
        {
            begin(SpanKind::delegate, delegate.agent.str(), "").child = find_id(delegate.child.str());
        }
        void operator()(const SleepIntent&) const { begin(SpanKind::sleep, "", ""); }
        template <AnyOf<RecallIntent, RememberIntent, SaveIntent, CheckIntent, SendIntent, NowIntent, FreshIdIntent,
                        FirstIntent, JoinIntent, AnnounceIntent, HeedIntent, RouteIntent, CompactIntent, NewerIntent>
                      Other>
        void operator()(const Other&) const
        {}

        Span& begin(SpanKind kind, std::string agent, std::string name) const
        {
            Span& span = builder.effect(record, kind);
            span.attempts = std::max(1, static_cast<int>(intent.attempt));
            span.status = SpanStatus::open;
            span.agent = std::move(agent);
            span.name = name.empty() ? span.agent : std::move(name);
            if (span.name.empty()) span.name = intent.effect.str();
            return span;
        }
    };

    struct TakeOutcome {
        Builder& builder;
        const Record& record;
        const OutcomeBody& outcome;

        void operator()(const ThinkOutcome& think) const
        {
            Span& span = builder.effect(record, SpanKind::step);
            if (span.name.empty()) span.name = think.agent.str();
            span.usage = think.usage.get();
            span.model = think.model.str();
            for (const model::ToolCall& call : think.calls.get()) span.calls.push_back(call.tool_name);
            end(span, think.text.str());
        }
        void operator()(const UseOutcome& use) const
        {
            Span& span = builder.effect(record, SpanKind::call);
            if (span.name.empty() || span.name.starts_with("use:")) span.name = use.tool.str();
            end(span, (use.resolved ? "a person said: " : "") + use.text.str(), use.is_error);
        }
        void operator()(const DelegateOutcome& delegate) const
        {
            end(builder.effect(record, SpanKind::delegate), delegate.reply.get().text);
        }
        void operator()(const AnnounceOutcome& announced) const
        {
            Span span{.kind = SpanKind::fact,
                      .status = SpanStatus::done,
                      .path = record.path,
                      .name = announced.what.str(),
                      .agent = announced.agent.str(),
                      .begin = record.at,
                      .end = record.at};
            const std::size_t parent = builder.scope(outside(record.path), record.at);
            const auto events = announced.events.get();
            if (events.empty()) span.output = announced.fact.text;
            if (events.empty()) builder.add(std::move(span), parent);
            for (const model::Event& event : events) {
                Span one = span;
                one.event = event;
                builder.add(std::move(one), parent);
            }
        }
        void operator()(const CompactOutcome& compact) const
        {
            const auto inside = builder.places_.find(record.path);
            builder.add({.kind = SpanKind::fact,
                         .status = SpanStatus::done,
                         .path = record.path,
                         .name = "compact",
                         .agent = compact.agent.str(),
                         .begin = record.at,
                         .end = record.at,
                         .output = text_of(compact)},
                        inside == builder.places_.end() ? builder.scope(outside(record.path), record.at)
                                                        : inside->second);
        }
        void operator()(const JoinOutcome&) const { builder.joined_.insert(joined_by(record.path)); }
        void operator()(const SleepOutcome&) const { end(builder.effect(record, SpanKind::sleep), ""); }
        template <AnyOf<AskOutcome, RecallOutcome, RememberOutcome, SaveOutcome, CheckOutcome, SendOutcome, NowOutcome,
                        FreshIdOutcome, FirstOutcome, HeedOutcome, RouteOutcome, NewerOutcome>
                      Other>
        void operator()(const Other&) const
        {
            const auto found = builder.questions_.find(record.path);
            if (found != builder.questions_.end() && outcome.cancelled)
                close(builder.nodes_[found->second].span, record.at, SpanStatus::cancelled);
        }

        void end(Span& span, std::string text, bool is_error = false) const
        {
            span.error = outcome.error.get().message;
            (is_error ? span.error : span.output) = std::move(text);
            close(span, record.at,
                  outcome.cancelled     ? SpanStatus::cancelled
                  : !span.error.empty() ? SpanStatus::failed
                                        : SpanStatus::done);
        }
    };

    void pause(const Record& record)
    {
        const auto reason = state_.pause_reason.value_or(model::PauseReason::user_request);
        pause_ = add({.kind = SpanKind::pause,
                      .path = record.path,
                      .name = std::string(model::wire_name(reason)),
                      .begin = record.at,
                      .input = state_.pause_text},
                     kRoot);
    }

    /// A question about a call whose outcome is not known has the call's own path: it lies in the call.
    void question(const Record& record, const model::HumanRequest& request)
    {
        const auto own = places_.find(record.path);
        const std::size_t parent = own == places_.end() ? scope(outside(record.path), record.at) : own->second;
        questions_[record.path] = add({.kind = SpanKind::question,
                                       .path = record.path,
                                       .name = std::string(model::wire_name(request.type)),
                                       .agent = request.agent,
                                       .begin = record.at,
                                       .input = question_in(request)},
                                      parent);
    }

    void answer(const Record& record, const AnswerBody& given)
    {
        const auto found = questions_.find(record.path);
        if (found == questions_.end()) return;
        const auto answer = given.answer.get();
        Span& span = nodes_[found->second].span;
        span.output = answered_text(answer);
        close(span, record.at, answer.verb == model::HumanVerb::timeout ? SpanStatus::failed : SpanStatus::done);
    }

    /// The process ended, and another one took the task up: unless it was put away in good order to wait for something.
    void note_gap(const Record& record)
    {
        if (!last_ || record.epoch == last_->epoch || state_.status != model::TaskStatus::running) return;
        if (!state_.children.empty() || !state_.timers.empty()) return;
        add({.kind = SpanKind::gap,
             .status = SpanStatus::done,
             .name = "interrupted",
             .begin = last_->at,
             .end = record.at},
            kRoot);
    }

    void finish(const Record& record, SpanStatus status)
    {
        Span& task = nodes_[kRoot].span;
        task.output = state_.reply ? state_.reply->text : "";
        task.error = state_.error;
        close(task, record.at, status);
        for (Node& node : nodes_)  // what was under way ended with it
            if (!node.span.end && !node.is_scope) close(node.span, record.at, SpanStatus::cancelled);
    }

    static void close(Span& span, Time at, SpanStatus status)
    {
        span.end = at;
        span.status = status;
    }

    /// A scope lasts as long as what is in it, and ends like the last of that, unless the journal says when it was done: an arm
    /// that lost is cancelled. Parents come before children, so it is done from the back.
    void close_scopes()
    {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            Node& node = nodes_[i];
            std::ranges::sort(node.inside, {},
                              [this](std::size_t one) { return std::pair(nodes_[one].span.begin, one); });
            Time last = node.span.begin;
            SpanStatus status = SpanStatus::done;
            bool open = false;
            for (const std::size_t one : node.inside) {
                const Span& inner = nodes_[one].span;
                node.span.usage += inner.usage;
                open = open || !inner.end;
                if (!inner.end || *inner.end < last) continue;
                last = *inner.end;
                if (inner.kind != SpanKind::sleep) status = inner.status;  // a time limit is not what was done
            }
            if (node.is_scope && !node.span.end && !open) close(node.span, last, status);
        }
    }

    void append(Trace& trace, std::size_t place, int depth)
    {
        Node& node = nodes_[place];
        node.span.depth = depth;
        trace.spans.push_back(std::move(node.span));
        for (const std::size_t one : node.inside) append(trace, one, depth + 1);
    }

    std::span<const Record> records_;
    std::set<std::string, std::less<>> own_;     // paths of which something is recorded
    std::set<std::string, std::less<>> joined_;  // of nodes that began when enough others had come
    std::vector<Node> nodes_;
    std::map<std::string, std::size_t, std::less<>> places_;
    std::map<std::string, std::size_t, std::less<>> questions_;
    std::size_t pause_ = kRoot;
    TaskState state_;
    const Record* last_ = nullptr;
};

}  // namespace

std::string_view name_of(SpanKind kind)
{
    constexpr std::string_view kNames[] = {"task",     "node",  "step",  "call", "question",
                                           "delegate", "sleep", "pause", "gap",  "fact"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string_view name_of(SpanStatus status)
{
    constexpr std::string_view kNames[] = {"open", "done", "failed", "cancelled"};
    return kNames[static_cast<std::size_t>(status)];
}

Trace trace_of(std::span<const Record> records)
{
    return Builder(records).build();
}

void graft(Trace& trace, std::size_t delegate, const Trace& child)
{
    const int depth = trace.spans[delegate].depth + 1;
    std::vector<Span> below = child.spans;
    for (Span& span : below) span.depth += depth;
    int above = depth;
    for (std::size_t i = delegate + 1; i-- > 0 && !below.empty();) {  // what it spent, all above it have spent
        if (trace.spans[i].depth >= above) continue;
        above = trace.spans[i].depth;
        trace.spans[i].usage += below.front().usage;
    }
    trace.spans.insert(trace.spans.begin() + static_cast<std::ptrdiff_t>(delegate) + 1, below.begin(), below.end());
    trace.last = std::max(trace.last, child.last);
}

}  // namespace cadre::engine
