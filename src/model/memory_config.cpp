#include "model/memory_config.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const MemoryConfig*)
{
    static const Entity entity{
        .name = "memory_config",
        .doc = "What a team or an agent remembers.",
        .fields = {field("short_term_limit", &MemoryConfig::short_term_limit, "Tokens of recent context that are kept.",
                         {.min = 1}),
                   field("long_term_enabled", &MemoryConfig::long_term_enabled,
                         "Whether anything outlives the context."),
                   field("semantic_search_enabled", &MemoryConfig::semantic_search_enabled,
                         "Whether memory is searched by meaning."),
                   field("consolidation_interval", &MemoryConfig::consolidation_interval,
                         "Seconds between two summaries of what was learned.", {.min = 1}),
                   field("vector_db_config", &MemoryConfig::vector_db_config, "Settings of the vector store.")},
        .example = R"({"short_term_limit":4000,"long_term_enabled":false,"semantic_search_enabled":false,
"consolidation_interval":60,"vector_db_config":{"encoder":"minilm"}})"};
    return entity;
}

}  // namespace cadre::model
