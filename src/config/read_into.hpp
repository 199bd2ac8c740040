// From a document to a described struct, with problems at their places in the file.
#pragma once

#include "config/document.hpp"

namespace cadre::model {
class Problems;
struct Entity;
}  // namespace cadre::model

namespace cadre::config {

/// Reads `value`, which is the document's or a part of it (`at` says which), into `entity`. False when something is wrong with
/// it. References that stand where a number is wanted are converted in `value` itself.
bool read_into(boost::json::value& value, const Document& document, void* entity, const model::Entity& description,
               Findings& findings, std::string_view at = {});

/// Problems, whose paths begin at `at`, as findings.
void report(const model::Problems& problems, const Document& document, Findings& findings, std::string_view at = {});

/// One of them.
void report(std::string path, std::string text, const Document& document, Findings& findings);

}  // namespace cadre::config
