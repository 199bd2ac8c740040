// Document 004 §6: teams of other frameworks, as they come in and go out. Their own definitions are free JSON here; the
// interop room knows what is in it.
#pragma once

#include "model/team.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::model::agentx {

struct LangChainImport {
    std::string chain_type{};
    boost::json::object chain_config{};
    std::vector<boost::json::object> agents{};
    std::vector<boost::json::object> tools{};
    std::optional<boost::json::object> memory_config{};

    bool operator==(const LangChainImport&) const = default;
};
const Entity& describe(const LangChainImport*);

struct LangChainExport {
    Team agentx_team{};
    boost::json::object langchain_equivalent{};
    std::vector<std::string> migration_notes{};

    bool operator==(const LangChainExport&) const = default;
};
const Entity& describe(const LangChainExport*);

struct AutoGenImport {
    boost::json::object group_chat_config{};
    std::vector<boost::json::object> agents{};
    std::vector<boost::json::object> conversation_patterns{};

    bool operator==(const AutoGenImport&) const = default;
};
const Entity& describe(const AutoGenImport*);

struct AutoGenExport {
    Team agentx_team{};
    boost::json::object autogen_equivalent{};
    Dict<std::string> pattern_mappings{};

    bool operator==(const AutoGenExport&) const = default;
};
const Entity& describe(const AutoGenExport*);

struct CrewAIImport {
    boost::json::object crew_config{};
    std::vector<boost::json::object> agents{};
    std::vector<boost::json::object> tasks{};
    std::vector<boost::json::object> tools{};

    bool operator==(const CrewAIImport&) const = default;
};
const Entity& describe(const CrewAIImport*);

struct CrewAIExport {
    Team agentx_team{};
    boost::json::object crewai_equivalent{};
    Dict<std::string> role_mappings{};

    bool operator==(const CrewAIExport&) const = default;
};
const Entity& describe(const CrewAIExport*);

}  // namespace cadre::model::agentx
