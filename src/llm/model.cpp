#include "llm/model.hpp"

#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "llm/estimate.hpp"
#include "model/type.hpp"

#include <boost/json.hpp>

#include <cstdint>

namespace cadre::llm {

namespace {

/// By name, not by number: the digest must not change when the enumeration does.
std::string_view name_of(model::Role role)
{
    for (const model::EnumName& name : model::names_of(&role))
        if (name.value == static_cast<int>(role)) return name.name;
    return {};
}

/// Every field with its length before it, so that no two messages have the same text.
class Fields {
public:
    Fields& add(std::string_view field)
    {
        append_json_number(text_, std::uint64_t{field.size()});
        text_ += ':';
        text_ += field;
        return *this;
    }
    /// `-` stands for what is not there, because no length begins with it.
    Fields& add_if(bool there, std::string_view field)
    {
        if (there) return add(field);
        text_ += '-';
        return *this;
    }

    const std::string& text() const { return text_; }
    void reserve(std::size_t size) { text_.reserve(size); }

private:
    std::string text_;
};

void add(Fields& fields, const model::ToolCall& call)
{
    fields.add(call.id).add(call.tool_name).add(to_canonical_text(call.args));
    fields.add_if(call.expected_output_type.has_value(), call.expected_output_type.value_or(""));
    fields.add_if(call.timeout.has_value(), std::to_string(call.timeout.value_or(0)));
    fields.add_if(call.retry_policy.has_value(), to_canonical_text(call.retry_policy.value_or(json::object())));
}

void add(Fields& fields, const Message& message)
{
    fields.reserve(64 + message.text.size());
    fields.add("message/1").add(name_of(message.role)).add(message.text).add(std::to_string(message.calls.size()));
    for (const model::ToolCall& call : message.calls) add(fields, call);
    fields.add(message.call_id).add(message.is_error ? "error" : "ok");
    for (const Image& image : message.images) fields.add("image").add(image.media_type).add(image.data).add(image.url);
    if (!message.opaque.empty()) fields.add("opaque").add(message.opaque);
}

}  // namespace

Digest digest_of(const Message& message)
{
    Fields fields;
    add(fields, message);
    return cadre::digest_of(fields.text());
}

Digest digest_of(const Digest& before, const Message& message)
{
    Fields fields;
    fields.add({reinterpret_cast<const char*>(before.bytes.data()), before.bytes.size()});
    add(fields, message);
    return cadre::digest_of(fields.text());
}

std::int64_t Model::most_input(const Request& request, std::int64_t) const
{
    return estimated_tokens(request);
}

std::int64_t Model::likely_input(const Request& request) const
{
    return estimated_tokens(request);
}

Usage& Usage::operator+=(const Usage& other)
{
    input += other.input;
    output += other.output;
    cached += other.cached;
    reasoning += other.reasoning;
    cost += other.cost;
    estimated = estimated || other.estimated;
    unpriced = unpriced || other.unpriced;
    return *this;
}

}  // namespace cadre::llm
