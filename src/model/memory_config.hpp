// What a team or an agent remembers.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>

namespace cadre::model {

struct Entity;

struct MemoryConfig {
    std::int64_t short_term_limit = 10000;  // tokens
    bool long_term_enabled = true;
    bool semantic_search_enabled = true;
    std::int64_t consolidation_interval = 3600;  // seconds
    boost::json::object vector_db_config{};

    bool operator==(const MemoryConfig&) const = default;
};

const Entity& describe(const MemoryConfig*);

}  // namespace cadre::model
