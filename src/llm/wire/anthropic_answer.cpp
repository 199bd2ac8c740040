#include "llm/wire/anthropic_answer.hpp"

#include "base/json.hpp"
#include "llm/wire/anthropic_blocks.hpp"
#include "llm/wire/failure.hpp"
#include "llm/wire/foreign.hpp"
#include "llm/wire/opaque.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace cadre::llm {

namespace {

std::string finish_of(std::string_view stop, bool has_calls)
{
    if (stop == "tool_use") return "tool_calls";
    if (stop == "max_tokens" || stop == "model_context_window_exceeded") return "length";
    if (stop == "refusal") return "refusal";
    if (stop == "pause_turn" && !has_calls) return std::string(kPaused);
    return has_calls ? "tool_calls" : "stop";  // end_turn, stop_sequence, and whatever comes later
}

}  // namespace

void AnthropicDecoder::event(std::string_view type, std::string_view data)
{
    if (over_ || data.find_first_not_of(" \t\r\n") == data.npos) return;
    parse(data, [&](const json::value& event) {
        const std::string_view own = text_in(event, "type");
        read(own.empty() ? type : own, event);
    });
}

void AnthropicDecoder::whole(std::string_view body)
{
    parse(body, [&](const json::value& message) {
        if (find_in(message, "error")) throw failure_in_stream(endpoint_, message);
        const auto* content = find_in(message, "content");
        if (!content || !content->is_array()) throw malformed_answer(endpoint_, "it has no content");
        read_message(&message);
        stop_ = text_in(message, "stop_reason");
    });
    over_ = true;
}

void AnthropicDecoder::read(std::string_view type, const json::value& event)
{
    if (!event.is_object()) throw malformed_answer(endpoint_, "an event is no JSON object");
    const std::int64_t index = count_in(event, "index").value_or(0);
    if (type == "message_start") {
        read_message(find_in(event, "message"));
    } else if (type == "content_block_start") {
        begin_block(index, find_in(event, "content_block"));
    } else if (type == "content_block_delta") {
        read_delta(index, find_in(event, "delta"));
    } else if (type == "message_delta") {
        if (const auto stop = text_in(find_in(event, "delta"), "stop_reason"); !stop.empty()) stop_ = stop;
        read_usage(find_in(event, "usage"));
    } else if (type == "message_stop") {
        over_ = true;
    } else if (type == "error") {
        throw failure_in_stream(endpoint_, event);
    }  // ping, content_block_stop, and whatever comes later
}

void AnthropicDecoder::read_message(const json::value* message)
{
    set_model(text_in(message, "model"));
    read_usage(find_in(message, "usage"));
    const auto* content = find_in(message, "content");
    const auto* list = content ? content->if_array() : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) begin_block(static_cast<std::int64_t>(i), &(*list)[i]);
}

/// Counts are of the whole message so far, not of what came since; a later event may leave some out.
void AnthropicDecoder::read_usage(const json::value* usage)
{
    const auto input = count_in(usage, "input_tokens"), output = count_in(usage, "output_tokens");
    if (!input && !output) return;
    answer_.counted = true;
    Billed& billed = answer_.billed;
    if (input) {
        billed.cached = count_in(usage, "cache_read_input_tokens").value_or(billed.cached);
        billed.cache_write = count_in(usage, "cache_creation_input_tokens").value_or(billed.cache_write);
        billed.input = *input + billed.cached + billed.cache_write;
    }
    if (output) billed.output = *output;
    const auto thoughts = count_in(find_in(usage, "output_tokens_details"), "thinking_tokens");
    if (thoughts) answer_.completion.usage.reasoning = std::min(*thoughts, billed.output);
}

AnthropicDecoder::Block* AnthropicDecoder::find_block(std::int64_t index)
{
    const auto place = places_.find(index);
    return place == places_.end() ? nullptr : &blocks_[place->second];
}

AnthropicDecoder::Block& AnthropicDecoder::begin_block(std::int64_t index, const json::value* content)
{
    if (blocks_.size() >= kMaxBlocks) throw oversized_answer(endpoint_, std::to_string(kMaxBlocks) + " blocks");
    const std::string_view type = text_in(content, "type");
    const Kind kind = type == "text"       ? Kind::text
                      : type == "tool_use" ? Kind::call
                      : type == "thinking" ? Kind::thinking
                                           : Kind::other;
    places_[index] = blocks_.size();
    Block& block = blocks_.emplace_back(Block{.kind = kind});
    if (kind == Kind::text) {
        block.bytes = text_in(content, "text").size();
        add_text(text_in(content, "text"));
        return block;
    }
    if (content && content->is_object()) {
        keep(to_text(*content).size());
        block.start = json::object(content->get_object(), json::storage_ptr());  // the event's memory goes
    }
    if (kind == Kind::thinking) {
        block.thinking = text_in(content, "thinking");
        block.signature = text_in(content, "signature");
        answer_.completion.reasoning += block.thinking;
    }
    return block;
}

void AnthropicDecoder::read_delta(std::int64_t index, const json::value* delta)
{
    Block* block = find_block(index);
    const std::string_view type = text_in(delta, "type");
    if (type == "text_delta") {
        if (!block) {  // whose start got lost
            const json::value start{{"type", "text"}};
            block = &begin_block(index, &start);
        }
        block->bytes += text_in(delta, "text").size();
        return add_text(text_in(delta, "text"));
    }
    if (!block) return;
    if (type == "input_json_delta") {
        keep(text_in(delta, "partial_json").size());
        block->json += text_in(delta, "partial_json");
    } else if (type == "thinking_delta") {
        block->thinking += text_in(delta, "thinking");
        add_reasoning(text_in(delta, "thinking"));
    } else if (type == "signature_delta") {
        keep(text_in(delta, "signature").size());
        block->signature += text_in(delta, "signature");
    }  // citations_delta, and whatever comes later
}

/// The blocks in their order, when there are some that text and calls alone cannot say.
std::string AnthropicDecoder::opaque() const
{
    const bool is_plain = std::ranges::all_of(
        blocks_, [](const Block& block) { return block.kind == Kind::text || block.kind == Kind::call; });
    if (is_plain) return {};
    json::array content;
    std::int64_t call = 0;
    for (const Block& block : blocks_) {
        switch (block.kind) {
        case Kind::text: content.push_back({{kTextBytes, block.bytes}}); break;
        case Kind::call: content.push_back({{kCallNumber, call++}}); break;
        case Kind::thinking: {
            json::object thinking = block.start;
            thinking["thinking"] = block.thinking;
            if (!block.signature.empty()) thinking["signature"] = block.signature;
            content.push_back(std::move(thinking));
            break;
        }
        case Kind::other: {
            json::object other = block.start;
            if (!block.json.empty()) {
                try {
                    other["input"] = parse_json(block.json);
                } catch (const Error&) {
                    // it stays as it began; the vendor will say what it thinks of that
                }
            }
            if (!other.empty()) content.push_back(std::move(other));
            break;
        }
        }
    }
    return opaque_text(endpoint_.spec(), {{kContent, std::move(content)}});
}

Answer AnthropicDecoder::take()
{
    if (!is_complete()) throw cut_answer(endpoint_);
    Completion& completion = answer_.completion;
    for (const Block& block : blocks_) {
        if (block.kind != Kind::call) continue;
        const auto* input = block.start.if_contains("input");  // whole, of vendors who do not stream it
        const bool is_given = block.json.empty() && input && !input->is_null();
        const json::value start = block.start;
        add_call(std::string(text_in(start, "id")), text_in(start, "name"), is_given ? to_text(*input) : block.json);
    }
    if (blocks_.empty() && stop_.empty()) throw malformed_answer(endpoint_, "it holds nothing");
    completion.opaque = opaque();
    completion.finish_reason = finish_of(stop_, !completion.calls.empty());
    if (completion.model.empty()) completion.model = endpoint_.spec();
    return std::move(answer_);
}

}  // namespace cadre::llm
