#include "cli/help_json.hpp"

#include "base/json_writer.hpp"
#include "cli/exit_codes.hpp"

namespace cadre::cli {
namespace {

std::string_view name_of(Argument::Count count)
{
    switch (count) {
    case Argument::Count::required: break;
    case Argument::Count::optional: return "optional";
    case Argument::Count::repeated: return "repeated";
    }
    return "required";
}

void write(JsonWriter& json, const Argument& argument)
{
    json.begin_object()
        .field("name", argument.name)
        .field("help", argument.help)
        .field("count", name_of(argument.count));
    if (argument.choices) {
        json.key("choices").begin_array();
        for (const std::string& choice : argument.choices()) json.value(std::string_view(choice));
        json.end_array();
    }
    json.end_object();
}

void write(JsonWriter& json, const Flag& flag)
{
    json.begin_object().field("name", flag.name).field("help", flag.help);
    if (flag.letter) json.field("letter", std::string_view(&flag.letter, 1));
    if (!flag.value.empty()) json.field("value", flag.value);
    json.end_object();
}

void write(JsonWriter& json, const Verb& verb);

template <class List>
void write_list(JsonWriter& json, std::string_view name, const List& list)
{
    json.key(name).begin_array();
    for (const auto& item : list) write(json, item);
    json.end_array();
}

void write(JsonWriter& json, const Verb& verb)
{
    json.begin_object()
        .field("name", verb.name)
        .field("summary", verb.summary)
        .field("usage", std::string_view(as_typed(usage(verb))));
    write_list(json, "arguments", verb.arguments);
    write_list(json, "flags", verb.flags);
    json.end_object();
}

}  // namespace

std::string to_json(const Program& program)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    write_list(json, "verbs", program.verbs);
    write_list(json, "flags", global_flags());
    json.end_object();
    return text + "\n";
}

std::string to_json(const Verb& verb)
{
    std::string text;
    JsonWriter json(text);
    write(json, verb);
    return text + "\n";
}

std::string exit_codes_json()
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().key("exit_codes").begin_array();
    for (const ExitCode& code : exit_codes())
        json.begin_object()
            .field("exit", code.number)
            .field("code", code.code)
            .field("meaning", code.meaning)
            .end_object();
    json.end_array().end_object();
    return text + "\n";
}

}  // namespace cadre::cli
