#include "llm/wire/openai_answer.hpp"

#include "base/json.hpp"
#include "base/trim.hpp"
#include "llm/wire/failure.hpp"
#include "llm/wire/foreign.hpp"
#include "llm/wire/opaque.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::llm {

namespace {

constexpr std::string_view kDone = "[DONE]";

/// Whether one fragment of a vendor's thoughts goes on with the one before it.
bool goes_on(const json::object& before, const json::object& next)
{
    const auto* index = next.if_contains("index");
    const auto *type = next.if_contains("type"), *other = before.if_contains("type");
    return index && before.if_contains("index") && *index == before.at("index") && type && other && *type == *other;
}

void join(json::object& before, const json::object& next)
{
    for (const auto& member : next) {
        json::value& old = before[member.key()];
        const bool grows = member.key() == "text" || member.key() == "summary" || member.key() == "data";
        if (grows && old.is_string() && member.value().is_string())
            old.get_string().append(member.value().get_string());
        else if (!member.value().is_null()) old = member.value();
    }
}

}  // namespace

void OpenAiDecoder::event(std::string_view type, std::string_view data)
{
    data = trimmed(data);
    if (over_ || data.empty()) return;
    if (data == kDone) {
        over_ = true;
        return;
    }
    parse(data, [&](const json::value& chunk) {
        if (type == "error") throw failure_in_stream(endpoint_, chunk);
        read(chunk);
    });
}

void OpenAiDecoder::whole(std::string_view body)
{
    parse(body, [&](const json::value& chunk) { read(chunk); });
    over_ = true;
}

void OpenAiDecoder::read(const json::value& chunk)
{
    if (!chunk.is_object()) throw malformed_answer(endpoint_, "it is no JSON object");
    if (const auto* error = find_in(chunk, "error"); error && !(error->is_string() && error->get_string().empty()))
        throw failure_in_stream(endpoint_, chunk);
    set_model(text_in(chunk, "model"));
    for (const json::value* usage : {find_in(chunk, "usage"), find_in(find_in(chunk, "x_groq"), "usage")})
        if (usage) read_usage(*usage);
    const auto* choices = find_in(chunk, "choices");
    const auto* list = choices ? choices->if_array() : nullptr;
    if (!list) return;
    for (const json::value& choice : *list)
        if (count_in(choice, "index").value_or(0) == 0) {
            read_choice(choice);
            if (const auto* usage = find_in(choice, "usage")) read_usage(*usage);
            break;  // we ask for one
        }
}

void OpenAiDecoder::read_usage(const json::value& usage)
{
    const auto input = count_in(usage, "prompt_tokens"), output = count_in(usage, "completion_tokens");
    if (!input && !output) return;
    answer_.counted = true;
    Billed& billed = answer_.billed;
    billed.input = std::max(billed.input, input.value_or(0));  // counts only grow while a stream goes on
    billed.output = std::max(billed.output, output.value_or(0));
    const auto* read = find_in(usage, "prompt_tokens_details");
    auto cached = count_in(read, "cached_tokens");
    if (!cached) cached = count_in(usage, "prompt_cache_hit_tokens");  // DeepSeek
    billed.cached = std::clamp<std::int64_t>(cached.value_or(0), 0, billed.input);
    billed.cache_write =
        std::clamp<std::int64_t>(count_in(read, "cache_write_tokens").value_or(0), 0, billed.input - billed.cached);
    const auto reasoning = count_in(find_in(usage, "completion_tokens_details"), "reasoning_tokens");
    answer_.completion.usage.reasoning = std::clamp<std::int64_t>(reasoning.value_or(0), 0, billed.output);
    if (const auto* cost = find_in(usage, "cost"); cost && cost->is_double())  // OpenRouter
        if (const double dollars = cost->get_double(); dollars >= 0 && dollars < kMaxCount) answer_.cost = dollars;
}

void OpenAiDecoder::read_choice(const json::value& choice)
{
    const json::value* message = find_in(choice, "delta");
    if (!message) message = find_in(choice, "message");
    if (message) {
        read_reasoning(*message);
        if (const auto* content = find_in(message, "content")) read_content(*content);
        if (const auto refusal = text_in(message, "refusal"); !refusal.empty()) {
            refused_ = true;
            add_text(refusal);
        }
        if (const auto* calls = find_in(message, "tool_calls"); calls && calls->is_array())
            read_calls(calls->get_array());
        if (const auto* function = find_in(message, "function_call")) read_call(*function, function, 0);  // of old
        said_something_ = true;
    }
    if (const auto reason = text_in(choice, "finish_reason"); !reason.empty()) finish_ = reason;
}

void OpenAiDecoder::read_content(const json::value& content)
{
    if (const auto* text = content.if_string()) return add_text(*text);
    const auto* parts = content.if_array();
    if (!parts) return;
    for (const json::value& part : *parts) {
        add_text(text_in(part, "text"));
        if (const auto* thoughts = find_in(part, "thinking"); thoughts && thoughts->is_array())  // Mistral
            for (const json::value& thought : thoughts->get_array()) add_reasoning(text_in(thought, "text"));
    }
}

void OpenAiDecoder::read_reasoning(const json::value& message)
{
    std::string_view thoughts = text_in(message, "reasoning_content");
    if (thoughts.empty()) thoughts = text_in(message, "reasoning");
    if (!thoughts.empty()) add_reasoning(thoughts);
    if (const auto* details = find_in(message, "reasoning_details"); details && details->is_array())
        read_details(details->get_array());
}

void OpenAiDecoder::read_details(const json::array& details)
{
    for (const json::value& detail : details) {
        const auto* object = detail.if_object();
        if (!object) continue;
        keep(to_text(detail).size());
        if (!details_.empty() && goes_on(details_.back().get_object(), *object)) {
            join(details_.back().get_object(), *object);
            continue;
        }
        if (details_.size() >= kMaxBlocks) throw oversized_answer(endpoint_, std::to_string(kMaxBlocks) + " thoughts");
        details_.emplace_back(json::value(*object, json::storage_ptr()));  // the event's memory goes
    }
}

void OpenAiDecoder::read_calls(const json::array& calls)
{
    for (const json::value& call : calls) {
        const json::value* function = find_in(call, "function");
        read_call(call, function ? function : &call, count_in(call, "index"));
    }
}

void OpenAiDecoder::read_call(const json::value& call, const json::value* function, std::optional<std::int64_t> index)
{
    std::string text;  // arguments that are no text, as some send them
    CallFragment fragment{.index = index, .id = text_in(call, "id"), .name = text_in(function, "name")};
    if (const auto* arguments = find_in(function, "arguments")) {
        if (!arguments->is_string()) text = to_text(*arguments);
        fragment.arguments = arguments->is_string() ? std::string_view(arguments->get_string()) : text;
    }
    if (fragment.id.empty() && fragment.name.empty() && fragment.arguments.empty() && calls_.all().empty()) return;
    keep(fragment.id.size() + fragment.name.size() + fragment.arguments.size());
    const std::size_t place = calls_.add(fragment);
    if (calls_.all().size() > kMaxBlocks) throw oversized_answer(endpoint_, std::to_string(kMaxBlocks) + " calls");
    if (const auto* extra = find_in(call, "extra_content")) {
        keep(to_text(*extra).size());
        calls_.all()[place].extra["extra_content"] = json::value(*extra, json::storage_ptr());
    }
}

std::string OpenAiDecoder::opaque() const
{
    json::object fields;
    if (endpoint_.vendor.reasoning_back != model::ReasoningBack::never) {
        if (endpoint_.vendor.reasoning_field == "reasoning_details") {
            if (!details_.empty()) fields["reasoning"] = details_;
        } else if (!answer_.completion.reasoning.empty()) {
            fields["reasoning"] = answer_.completion.reasoning;
        }
    }
    if (std::ranges::any_of(calls_.all(), [](const JoinedCall& call) { return !call.extra.empty(); })) {
        json::array extras;
        for (const JoinedCall& call : calls_.all()) extras.emplace_back(call.extra);
        fields["calls"] = std::move(extras);
    }
    return fields.empty() ? std::string() : opaque_text(endpoint_.spec(), std::move(fields));
}

Answer OpenAiDecoder::take()
{
    if (!is_complete()) {
        if (over_) throw malformed_answer(endpoint_, "it holds no choices");
        throw cut_answer(endpoint_);
    }
    Completion& completion = answer_.completion;
    for (const JoinedCall& call : calls_.all()) add_call(call.id, call.name, call.arguments);
    completion.opaque = opaque();
    if (finish_ == "function_call" || finish_ == "tool_use") finish_ = "tool_calls";
    if (finish_.empty() || finish_ == "end_turn" || finish_ == "eos") finish_ = "stop";
    if (finish_ == "max_tokens" || finish_ == "model_length") finish_ = "length";
    if (finish_ == "stop" && !completion.calls.empty()) finish_ = "tool_calls";  // some say stop
    if (finish_ == "stop" && refused_) finish_ = "refusal";
    completion.finish_reason = finish_;
    if (completion.model.empty()) completion.model = endpoint_.spec();
    return std::move(answer_);
}

}  // namespace cadre::llm
