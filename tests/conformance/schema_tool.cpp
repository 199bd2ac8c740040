// Answers the JSON Schema Test Suite, for schema_suite_test.mjs:
//     schema_tool REMOTES DRAFT FORMAT FILE…
// REMOTES is the folder of documents that schemas refer to, DRAFT the dialect of schemas that name none ("" is ours),
// FORMAT whether formats are rules ("true"). Prints a JSON text a line for every test in the files.
#include "base/error.hpp"
#include "base/json.hpp"
#include "schema/schema.hpp"

#include <boost/json.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

using namespace cadre;

namespace {

json::value read(const std::filesystem::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return parse_json(text.str());
}

std::map<std::string, json::value, std::less<>> read_remotes(const std::filesystem::path& folder)
{
    std::map<std::string, json::value, std::less<>> documents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.path().extension() == ".json")
            documents["http://localhost:1234/" + std::filesystem::relative(entry.path(), folder).string()] =
                read(entry.path());
    return documents;
}

json::value answer(const std::optional<schema::Schema>& compiled, const json::value& data)
{
    try {
        const auto findings = compiled->validate(data);
        if (findings.empty() != compiled->accepts(data)) return "error: validate() and accepts() differ";
        return findings.empty();
    } catch (const Error& error) {
        return json::value("error: " + std::string(error.what()));
    }
}

void print_answers(const std::string& file, const json::value& group, const schema::Options& options)
{
    std::optional<schema::Schema> compiled;
    std::string failure;
    try {
        compiled = schema::Schema::compile(group.at("schema"), options);
    } catch (const Error& error) {
        failure = "error: " + std::string(error.what());
    }
    for (const json::value& test : group.at("tests").as_array())
        std::cout << to_text(json::object{
                         {"file", file},
                         {"group", group.at("description")},
                         {"test", test.at("description")},
                         {"valid", test.at("valid")},
                         {"answer", compiled ? answer(compiled, test.at("data")) : json::value(failure)},
                     })
                  << '\n';
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc < 4) return 2;
    const auto remotes = read_remotes(argv[1]);
    const std::string draft = argv[2];
    schema::Options options;
    options.format_assertion = std::string_view(argv[3]) == "true";
    options.document = [&](std::string_view uri) {
        const auto found = remotes.find(uri);
        return found == remotes.end() ? nullptr : &found->second;
    };
    for (int i = 4; i < argc; ++i) {
        json::value groups = read(argv[i]);
        for (json::value& group : groups.as_array()) {
            json::object* object = group.at("schema").if_object();
            if (object && !draft.empty() && !object->contains("$schema")) (*object)["$schema"] = draft;
            print_answers(argv[i], group, options);
        }
    }
}
