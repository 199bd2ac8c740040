#include "cli/schema_verb.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/suggest.hpp"
#include "cli/answers.hpp"
#include "cli/args.hpp"
#include "cli/output.hpp"
#include "cli/reference.hpp"
#include "cli/write_file.hpp"
#include "config/file_kind.hpp"
#include "model/catalogue.hpp"
#include "model/describe.hpp"
#include "model/json_schema.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <map>

namespace cadre::cli {
namespace {

/// By name: every entity of the model, and the files of the config room that are made of no entity of the model.
std::map<std::string_view, const model::Entity*> entities()
{
    std::map<std::string_view, const model::Entity*> all;
    for (const model::Entity* entity : model::catalogue()) all.emplace(entity->name, entity);
    for (const model::Entity* entity : config::file_entities()) all.emplace(entity->name, entity);
    return all;
}

std::vector<const model::Entity*> entity_list()
{
    std::vector<const model::Entity*> list;
    for (const auto& [name, entity] : entities()) list.push_back(entity);
    return list;
}

/// As a file when people write it into one, so that editors know what else may stand there.
std::string schema_text(const model::Entity& entity)
{
    const bool in_files = model::written_in(entity) != model::Home::Kind::part;
    return to_pretty_text(model::json_schema(entity, in_files ? model::SchemaOf::file : model::SchemaOf::json));
}

int report_files(const std::vector<std::string>& files, std::string_view what, const std::string& folder,
                 const Output& output)
{
    if (output.json) {
        std::string text;
        JsonWriter json(text);
        json.begin_object().field("folder", folder).key("files").begin_array();
        for (const std::string& file : files) json.value(file);
        json.end_array().end_object();
        output.print(text + "\n");
    } else if (!output.quiet) {
        output.print(fmt::format("{} {} are in {}\n", files.size(), what, printable(folder)));
    }
    return 0;
}

int list_names(const Output& output)
{
    std::string text;
    if (output.json) {
        JsonWriter json(text);
        json.begin_object().key("schemas").begin_array();
        for (const auto& [name, entity] : entities())
            json.begin_object().field("name", name).field("doc", entity->doc).end_object();
        for (const AnswerName& answer : answer_names())
            json.begin_object().field("name", answer.name).field("doc", answer.doc).end_object();
        json.end_array().end_object();
        text += "\n";
    } else {
        for (const std::string& name : schema_names()) text += name + "\n";
    }
    output.print(text);
    return 0;
}

std::vector<std::string> write_all(const std::filesystem::path& folder)
{
    std::vector<std::string> files = write_schemas(entity_list(), folder);
    for (const AnswerName& answer : answer_names()) {
        files.push_back(answer.name + ".schema.json");
        write_file(folder / files.back(), to_pretty_text(answer_schema(answer.name)));
    }
    return files;
}

}  // namespace

std::vector<std::string> schema_names()
{
    std::vector<std::string> names;
    for (const auto& [name, entity] : entities()) names.emplace_back(name);
    for (const AnswerName& answer : answer_names()) names.push_back(answer.name);
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> write_schemas(std::span<const model::Entity* const> list, const std::filesystem::path& folder)
{
    make_folder(folder);
    std::vector<std::string> files;
    for (const model::Entity* entity : list) {
        files.push_back(fmt::format("{}.schema.json", entity->name));
        write_file(folder / files.back(), schema_text(*entity));
    }
    return files;
}

int schema(const Args& args, Output& output)
{
    const auto name = args.find("name");
    const auto folder = args.find("all");
    const auto pages = args.find("pages");
    if (name.has_value() + folder.has_value() + pages.has_value() > 1)
        throw Error(Code::invalid, "NAME, --all and --pages exclude each other; give one of them");
    if (folder) return report_files(write_all(*folder), "schemas", *folder, output);
    if (pages) return report_files(write_reference(*pages), "pages", *pages, output);
    if (!name) return list_names(output);
    if (const boost::json::value answer = answer_schema(*name); !answer.is_null()) {
        output.print(to_pretty_text(answer));
        return 0;
    }
    const auto all = entities();
    const auto found = all.find(*name);
    if (found == all.end()) {
        const auto near = nearest(*name, schema_names());
        throw Error(Code::not_found,
                    fmt::format("there is no schema called {}{}; `cadre schema` lists them all", in_quotes(*name),
                                near ? fmt::format(", did you mean \"{}\"?", *near) : ""));
    }
    output.print(schema_text(*found->second));
    return 0;
}

}  // namespace cadre::cli
