#include "engine/trace.hpp"

#include "engine/body.hpp"
#include "engine/effect.hpp"
#include "engine/task_state.hpp"
#include "model/human.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

namespace {

constexpr std::size_t kRoot = 0;

bool is_number(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

/// The path of what `path` lies in: `a/2/think:1` lies in `a/2`, that in nothing, because the 2 counts visits of `a`.
std::string_view outside(std::string_view path)
{
    auto slash = path.rfind('/');
    if (slash == path.npos) return "";
    if (is_number(path.substr(slash + 1))) {
        slash = path.substr(0, slash).rfind('/');
        if (slash == path.npos) return "";
    }
    return path.substr(0, slash);
}

/// `a` of `x/a` and of `x/a/2`; `branch 2` of `branch:1.1`.
std::string scope_name(std::string_view path)
{
    constexpr std::string_view kBranch = "branch:";
    const std::string_view outer = outside(path);
    std::string name(path.substr(outer.empty() ? 0 : outer.size() + 1));
    if (!name.starts_with(kBranch)) return name;
    const auto dot = name.find('.');
    const std::string index = name.substr(dot + 1);
    return is_number(index) ? "branch " + std::to_string(std::stoul(index) + 1) : name;
}

bool belongs_to_a_path(RecordKind kind)
{
    switch (kind) {
    case RecordKind::intent:
    case RecordKind::outcome:
    case RecordKind::unknown:
    case RecordKind::answer:
    case RecordKind::node_done:
    case RecordKind::attempt_failed: return true;
    default: return false;
    }
}

llm::Usage usage_in(const Body& body)
{
    const auto* value = body.find("usage");
    if (!value || !value->is_object()) return {};
    const Body usage(value->get_object());
    return {.input = usage.number("input"),
            .output = usage.number("output"),
            .cached = usage.number("cached"),
            .reasoning = usage.number("reasoning"),
            .cost = usage.decimal("cost")};
}

std::string error_in(const Body& body)
{
    const auto* error = body.find("error");
    return error && error->is_object() ? Body(error->get_object()).text("message") : "";
}

std::string question_in(const model::HumanRequest& request)
{
    const auto* question = request.context.if_contains("question");
    if (question && question->is_string()) return std::string(question->get_string());
    const auto* tool = request.context.if_contains("tool");
    const auto* arguments = request.context.if_contains("arguments");
    if (tool && tool->is_string()) {
        const std::string call =
            std::string(tool->get_string()) + (arguments ? " " + to_text(*arguments) : std::string());
        return request.type == model::HumanRequestType::approval ? "may I call " + call + "?"
                                                                 : "did this call happen: " + call + "?";
    }
    return to_text(boost::json::value(request.context));
}

class Builder {
public:
    explicit Builder(std::span<const Record> records) : records_(records)
    {
        for (const Record& record : records)
            if (belongs_to_a_path(record.kind)) own_.insert(record.path);
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
                                       .begin = at},
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
        apply(state_, record);
        Span& task = nodes_[kRoot].span;
        switch (record.kind) {
        case RecordKind::created:
            task.name = state_.spec.agent;
            task.agent = state_.spec.agent;
            task.input = state_.spec.description;
            task.begin = record.at;
            break;
        case RecordKind::intent: intent(record); break;
        case RecordKind::outcome: outcome(record); break;
        case RecordKind::node_done:
            close(nodes_[scope(record.path, record.at)].span, record.at, SpanStatus::done);
            break;
        case RecordKind::unknown: question(record, Body(record).read<model::HumanRequest>("request")); break;
        case RecordKind::answer: answer(record); break;
        case RecordKind::pause: {
            const auto reason = state_.pause_reason.value_or(model::PauseReason::user_request);
            pause_ = add({.kind = SpanKind::pause,
                          .path = record.path,
                          .name = std::string(model::wire_name(reason)),
                          .begin = record.at,
                          .input = state_.pause_text},
                         kRoot);
            break;
        }
        case RecordKind::resume:
            if (pause_ != kRoot) close(nodes_[pause_].span, record.at, SpanStatus::done);
            pause_ = kRoot;
            break;
        case RecordKind::completed: finish(record, SpanStatus::done); break;
        case RecordKind::failed: finish(record, SpanStatus::failed); break;
        case RecordKind::cancelled: finish(record, SpanStatus::cancelled); break;
        default: break;
        }
        last_ = &record;
    }

    void intent(const Record& record)
    {
        const Body body(record);
        const std::string effect_name = body.text("effect");
        if (effect_name == engine::name_of(EffectKind::ask))
            return question(record, body.read<model::HumanRequest>("request"));
        const auto kind = kind_of(effect_name);
        if (!kind) return;
        Span& span = effect(record, *kind);
        span.attempts = std::max(1, static_cast<int>(body.number("attempt")));
        span.status = SpanStatus::open;
        span.agent = body.text("agent");
        span.name = span.agent;
        if (*kind == SpanKind::call) {
            const auto call = body.read<model::ToolCall>("call");
            span.name = call.tool_name;
            span.input = to_text(boost::json::value(call.args));
        } else if (*kind == SpanKind::delegate) {
            span.child = find_id(body.text("child"));
        }
        if (span.name.empty()) span.name = effect_name;
    }

    void outcome(const Record& record)
    {
        const Body body(record);
        const auto kind = kind_of(body.text("effect"));
        if (!kind) return close_question(record, body);
        Span& span = effect(record, *kind);
        if (span.name.empty()) span.name = *kind == SpanKind::call ? body.text("tool") : body.text("agent");
        if (*kind == SpanKind::call && span.name.starts_with("use:")) span.name = body.text("tool");
        span.usage = usage_in(body);
        span.error = error_in(body);
        if (body.flag("is_error")) span.error = body.text("text");
        else span.output = body.text("text");
        if (body.has("reply")) span.output = body.read<model::Reply>("reply").text;
        for (const auto& call : body.read<std::vector<model::ToolCall>>("calls")) span.calls.push_back(call.tool_name);
        const bool failed = !span.error.empty();
        close(span, record.at,
              body.flag("cancelled") ? SpanStatus::cancelled
              : failed               ? SpanStatus::failed
                                     : SpanStatus::done);
    }

    static std::optional<SpanKind> kind_of(std::string_view effect_name)
    {
        constexpr std::array<std::pair<EffectKind, SpanKind>, 4> kKinds{{{EffectKind::think, SpanKind::step},
                                                                         {EffectKind::use, SpanKind::call},
                                                                         {EffectKind::delegate, SpanKind::delegate},
                                                                         {EffectKind::sleep, SpanKind::sleep}}};
        for (const auto& [effect_kind, kind] : kKinds)
            if (engine::name_of(effect_kind) == effect_name) return kind;
        return std::nullopt;
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

    void answer(const Record& record)
    {
        const auto found = questions_.find(record.path);
        if (found == questions_.end()) return;
        const auto answer = Body(record).read<model::HumanAnswer>("answer");
        Span& span = nodes_[found->second].span;
        span.output =
            std::string(model::participle(answer.verb)) + (answer.message.empty() ? "" : ": " + answer.message);
        close(span, record.at, answer.verb == model::HumanVerb::timeout ? SpanStatus::failed : SpanStatus::done);
    }

    void close_question(const Record& record, const Body& body)
    {
        const auto found = questions_.find(record.path);
        if (found != questions_.end() && body.flag("cancelled"))
            close(nodes_[found->second].span, record.at, SpanStatus::cancelled);
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

    /// A scope lasts as long as what is in it, unless the journal says when it was done. Parents come before children, so it
    /// is done from the back.
    void close_scopes()
    {
        for (std::size_t i = nodes_.size(); i-- > 0;) {
            Node& node = nodes_[i];
            std::ranges::sort(node.inside, {},
                              [this](std::size_t one) { return std::pair(nodes_[one].span.begin, one); });
            Time last = node.span.begin;
            bool open = false;
            for (const std::size_t one : node.inside) {
                const Span& inner = nodes_[one].span;
                open = open || !inner.end;
                if (inner.end) last = std::max(last, *inner.end);
                node.span.usage += inner.usage;
            }
            if (node.is_scope && !node.span.end && !open) close(node.span, last, SpanStatus::done);
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
    std::set<std::string, std::less<>> own_;  // paths of which something is recorded
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
                                           "delegate", "sleep", "pause", "gap"};
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
