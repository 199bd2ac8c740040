// What verbs print with --json, as schemas. cli/answers.json has it in a short form: a word is a type, `name?` may be missing.
#pragma once

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cadre::cli {

/// Grows when a program that read an answer before could misread it now: a name that goes, or changes its meaning. New names are no
/// change.
int json_format();

struct AnswerName {
    std::string name{};  // `answer_tasks`
    std::string doc{};
};
std::vector<AnswerName> answer_names();

/// The JSON Schema of the answer of that name; null: there is none.
boost::json::value answer_schema(std::string_view name);

}  // namespace cadre::cli
