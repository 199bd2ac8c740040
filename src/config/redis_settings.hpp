// Where copies of tasks are kept for others to read: `redis` of cadre.yaml, CADRE_REDIS_… and flags are these fields.
#pragma once

#include <string>

namespace cadre::model {
struct Entity;
}

namespace cadre::config {

struct RedisSettings {
    std::string url{};     // empty: there are no copies
    std::string tls_ca{};  // file with the authorities that are believed; empty: the system's
    int timeout_ms = 250;  // for a connection, and for each answer
    bool insecure = false;

    bool operator==(const RedisSettings&) const = default;
};
const model::Entity& describe(const RedisSettings*);

}  // namespace cadre::config
