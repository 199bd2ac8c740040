// What model calls of a task were sent, found out again from its journal.
#pragma once

#include "base/time.hpp"
#include "llm/model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cadre::storage {
struct Record;
}

namespace cadre::engine {

/// A request that a rehearsal came to, which the journal has an intent of.
struct RehearsedRequest {
    std::string model{};  // the first of its agent
    llm::Request request{};
};
/// By the path of its effect.
using RehearsedRequests = std::map<std::string, RehearsedRequest, std::less<>>;

/// One attempt of a model call.
struct SentRequest {
    std::uint32_t seq = 0;  // of the record that was written before it was sent
    Time at{};
    std::string path{};
    std::string step{};
    std::string model{};  // as people write it: `openai/gpt-5-mini`
    llm::Request request{};
};

/// In the order in which they were sent.
std::vector<SentRequest> sent_requests(const std::vector<storage::Record>& records, const RehearsedRequests& rehearsed);

}  // namespace cadre::engine
