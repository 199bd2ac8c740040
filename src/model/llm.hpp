// How to reach a language model.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

struct LlmConfig {
    std::string provider = "deepseek";
    std::string model = "deepseek-chat";
    double temperature = 0.7;
    std::optional<int> max_tokens{};
    std::optional<std::string> api_key{};   // the key itself or ${VAR}; the key itself is never written (C-09)
    std::optional<std::string> base_url{};  // 000 calls it endpoint
    int timeout = 30;                       // seconds of silence, not in total (C-24)
    boost::json::object retry_policy{};

    std::optional<std::string> key{};          // names this client, for choosing among several
    std::optional<std::string> api_key_env{};  // the environment variable that holds the key
    std::vector<std::string> fallback{};       // provider/model, asked in turn when this one does not work

    bool operator==(const LlmConfig&) const = default;
};

const Entity& describe(const LlmConfig*);

}  // namespace cadre::model
