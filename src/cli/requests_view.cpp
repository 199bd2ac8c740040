#include "cli/requests_view.hpp"

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/plural.hpp"
#include "base/redact.hpp"
#include "base/secret.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/task_text.hpp"
#include "cli/text_stream.hpp"
#include "model/describe.hpp"
#include "model/wire_name.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace cadre::cli {

using model::Entity;
using model::field;

namespace {

const model::Rule kIfAny{.omit_default = true};
constexpr std::size_t kRequestIndent = 2;

// ---- from the engine ----

/// Values are masked one by one, so that names stay.
boost::json::object masked_arguments(const boost::json::object& arguments)
{
    return parse_json(redact(cadre::to_text(boost::json::value(arguments)))).as_object();
}

/// A schema names what is secret, and holds none of it.
boost::json::value schema_in(const std::string& text)
{
    return parse_json(find_masked_secrets(text).value_or(text));
}

SentMessage message_of(const llm::Message& message)
{
    SentMessage shown{
        .role = message.role, .text = redact(message.text), .call_id = message.call_id, .is_error = message.is_error};
    for (const model::ToolCall& call : message.calls)
        shown.calls.push_back({call.id, call.tool_name, masked_arguments(call.args)});
    for (const llm::Image& image : message.images)
        shown.images.push_back(
            {image.media_type, redact(image.url), static_cast<std::int64_t>(image.data.size() / 4 * 3)});
    return shown;
}

SentView view_of(const engine::SentRequest& sent)
{
    const llm::Request& request = sent.request;
    SentView view{.seq = sent.seq,
                  .at = sent.at,
                  .path = sent.path,
                  .step_id = sent.step,
                  .agent = request.agent,
                  .model = redact(sent.model),
                  .attempt = request.attempt,
                  .instructions = redact(request.instructions)};
    for (const auto& message : request.messages) view.messages.push_back(message_of(*message));
    if (request.tools)
        for (const llm::ToolSpec& tool : *request.tools)
            view.tools.push_back({tool.name, redact(tool.description), schema_in(tool.input_schema)});
    const llm::Options& options = request.options;
    view.options = {.temperature = options.temperature,
                    .max_tokens = options.max_tokens,
                    .stop = options.stop,
                    .seed = options.seed,
                    .reasoning_effort = options.reasoning_effort};
    if (!options.output_schema.empty()) view.options.output_schema = schema_in(options.output_schema);
    return view;
}

// ---- for people ----

std::string indented_text(std::string_view text, std::size_t indent, std::size_t width)
{
    std::string lines;
    const std::size_t room = std::max(width, indent + 20) - indent;
    for (const std::string& line : lines_of(terminal_text(text), room)) lines += std::string(indent, ' ') + line + "\n";
    return lines;
}

std::string message_text(const SentMessage& message, const Output& output, std::size_t width)
{
    std::string head(model::wire_name(message.role));
    if (message.role == model::Role::tool)
        head += fmt::format(" ({}{})", message.call_id, message.is_error ? ", failed" : "");
    std::string text = std::string(kRequestIndent, ' ') + output.out.paint(Tone::bold, printable(head)) + "\n";
    text += indented_text(message.text, 2 * kRequestIndent, width);
    for (const SentCall& call : message.calls)
        text += indented_text(
            fmt::format("calls {} {} ({})", call.name, cadre::to_text(boost::json::value(call.arguments)), call.id),
            2 * kRequestIndent, width);
    for (const SentImage& image : message.images)
        text += indented_text(image.url.empty() ? fmt::format("a picture, {}, {}", image.media_type,
                                                              size_text(static_cast<std::uint64_t>(image.bytes)))
                                                : "a picture: " + image.url,
                              2 * kRequestIndent, width);
    return text;
}

std::string options_text(const SentOptions& options)
{
    std::vector<std::string> parts;
    if (options.temperature) parts.push_back(fmt::format("temperature {}", *options.temperature));
    if (options.max_tokens) parts.push_back(fmt::format("at most {} tokens", *options.max_tokens));
    if (options.seed) parts.push_back(fmt::format("seed {}", *options.seed));
    if (!options.stop.empty()) parts.push_back(fmt::format("stops at {}", fmt::join(options.stop, ", ")));
    if (!options.reasoning_effort.empty()) parts.push_back("reasoning effort " + options.reasoning_effort);
    if (options.output_schema) parts.emplace_back("the answer must meet a schema");
    return fmt::format("{}", fmt::join(parts, ", "));
}

/// How many of its messages the call before it of that agent had, too.
std::size_t seen_before(const SentView& before, const SentView& view)
{
    const auto end = std::ranges::mismatch(before.messages, view.messages).in1;
    return static_cast<std::size_t>(end - before.messages.begin());
}

std::string page_of(const SentViews& views, std::size_t i, const Output& output, std::size_t width)
{
    const SentView& view = views.requests[i];
    const std::string attempt = view.attempt > 1 ? fmt::format(", attempt {}", view.attempt) : "";
    const std::string head = fmt::format("{}  {} asks {}{}", i + 1, view.agent, view.model, attempt);
    std::string text = output.out.paint(Tone::bold, one_line(head, width, output.utf8)) + "\n";
    const SentView* before = nullptr;  // the last one of the same agent
    for (const SentView& one : std::span(views.requests).first(i))
        if (one.agent == view.agent) before = &one;
    if (const std::string options = options_text(view.options); !options.empty())
        text += indented_text(options, kRequestIndent, width);
    std::vector<std::string> tools;
    for (const SentTool& tool : view.tools) tools.push_back(tool.name);
    if (!tools.empty()) text += indented_text(fmt::format("tools: {}", fmt::join(tools, ", ")), kRequestIndent, width);
    const bool is_same = before && before->instructions == view.instructions;
    if (!is_same)
        text += std::string(kRequestIndent, ' ') + output.out.paint(Tone::bold, "system") + "\n" +
                indented_text(view.instructions, 2 * kRequestIndent, width);
    const std::size_t seen = before ? seen_before(*before, view) : 0;
    if (before)
        text += indented_text(fmt::format("{}{} as in call {}{}", is_same ? "system prompt and " : "",
                                          plural(seen, "message"), before - views.requests.data() + 1,
                                          seen < view.messages.size() ? ", then:" : ""),
                              kRequestIndent, width);
    for (std::size_t at = seen; at < view.messages.size(); ++at) text += message_text(view.messages[at], output, width);
    return text;
}

}  // namespace

// ---- descriptions ----

const Entity& describe(const SentCall*)
{
    static const Entity entity{.name = "sent_call",
                               .doc = "A tool call that the model is reminded of.",
                               .fields = {field("id", &SentCall::id, "The call."),
                                          field("name", &SentCall::name, "The tool."),
                                          field("arguments", &SentCall::arguments, "With what.")}};
    return entity;
}

const Entity& describe(const SentImage*)
{
    static const Entity entity{.name = "sent_image",
                               .doc = "A picture in a message, without its bytes.",
                               .fields = {field("media_type", &SentImage::media_type, "What it is.", kIfAny),
                                          field("url", &SentImage::url, "Where it is.", kIfAny),
                                          field("bytes", &SentImage::bytes, "How large, about.", kIfAny)}};
    return entity;
}

const Entity& describe(const SentMessage*)
{
    static const Entity entity{
        .name = "sent_message",
        .doc = "One message of the conversation, as the model was sent it.",
        .fields = {field("role", &SentMessage::role, "Who speaks."), field("text", &SentMessage::text, "The words."),
                   field("calls", &SentMessage::calls, "What the model had asked for.", kIfAny),
                   field("call_id", &SentMessage::call_id, "The call that this answers.", kIfAny),
                   field("is_error", &SentMessage::is_error, "The call failed.", kIfAny),
                   field("images", &SentMessage::images, "Pictures.", kIfAny)}};
    return entity;
}

const Entity& describe(const SentTool*)
{
    static const Entity entity{.name = "sent_tool",
                               .doc = "A tool that the model was offered.",
                               .fields = {field("name", &SentTool::name, "Its name."),
                                          field("description", &SentTool::description, "What the model is told of it."),
                                          field("input_schema", &SentTool::input_schema, "What it takes.")}};
    return entity;
}

const Entity& describe(const SentOptions*)
{
    static const Entity entity{
        .name = "sent_options",
        .doc = "Settings of a model call; what is left out is the provider's to choose.",
        .fields = {
            field("temperature", &SentOptions::temperature, "How freely it chooses.", kIfAny),
            field("max_tokens", &SentOptions::max_tokens, "The longest answer; may be what the budget leaves.", kIfAny),
            field("stop", &SentOptions::stop, "Texts at which it stops.", kIfAny),
            field("seed", &SentOptions::seed, "For the same answers again.", kIfAny),
            field("output_schema", &SentOptions::output_schema, "What the answer must meet.", kIfAny),
            field("reasoning_effort", &SentOptions::reasoning_effort, "How long it thinks.", kIfAny)}};
    return entity;
}

const Entity& describe(const SentView*)
{
    static const Entity entity{.name = "sent_request",
                               .doc = "What one attempt of a model call was sent.",
                               .fields = {field("seq", &SentView::seq, "The record that was written before."),
                                          field("at", &SentView::at, "When."),
                                          field("path", &SentView::path, "Which effect of the task."),
                                          field("step_id", &SentView::step_id, "The step that it made."),
                                          field("agent", &SentView::agent, "Whose call it was."),
                                          field("model", &SentView::model, "Which model was asked."),
                                          field("attempt", &SentView::attempt, "Which attempt of the call."),
                                          field("instructions", &SentView::instructions, "The system prompt."),
                                          field("messages", &SentView::messages, "The conversation so far."),
                                          field("tools", &SentView::tools, "The tools that it was offered."),
                                          field("options", &SentView::options, "Settings.")}};
    return entity;
}

const Entity& describe(const SentViews*)
{
    static const Entity entity{
        .name = "sent_requests",
        .doc = "What the model calls of a task were sent, rebuilt from its journal; keys are masked.",
        .fields = {field("task", &SentViews::task, "The task."),
                   field("requests", &SentViews::requests, "In the order in which they were sent.")}};
    return entity;
}

// ---- views ----

SentViews view_of(const Id& task, const std::vector<engine::SentRequest>& requests)
{
    SentViews views{.task = to_string(task)};
    for (const engine::SentRequest& request : requests) views.requests.push_back(view_of(request));
    return views;
}

std::vector<std::string> pages_of(const SentViews& views, const Output& output, std::size_t width)
{
    std::vector<std::string> pages;
    for (std::size_t i = 0; i < views.requests.size(); ++i) pages.push_back(page_of(views, i, output, width));
    return pages;
}

}  // namespace cadre::cli
