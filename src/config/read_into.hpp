// From a document to a described struct, with problems at their places in the file.
#pragma once

#include "config/document.hpp"

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

/// Reads `value`, which is the document's or a part of it (`at` says which), into `entity`. False when something is wrong with
/// it. References that stand where a number is wanted are converted in `value` itself.
bool read_into(boost::json::value& value, const Document& document, void* entity, const model::Entity& description,
               Findings& findings, const PathSteps& at = {});

/// Those problems that are worth a word: a field that is missing because its name is mistyped was told about by that name.
model::Problems without_consequences(const model::Problems& problems);

/// Problems, whose places begin at `at`, as findings.
void report(const model::Problems& problems, const Document& document, Findings& findings, const PathSteps& at = {});

/// One more, found by looking further. Nothing is said of a place that something was said of already.
void report(const PathSteps& path, std::string text, const Document& document, Findings& findings, Hint hint = {});

}  // namespace cadre::config
