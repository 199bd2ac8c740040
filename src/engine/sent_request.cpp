#include "engine/sent_request.hpp"

#include "engine/body.hpp"
#include "engine/effect_body.hpp"
#include "storage/record.hpp"

namespace cadre::engine {

std::vector<SentRequest> sent_requests(const std::vector<storage::Record>& records, const RehearsedRequests& rehearsed)
{
    std::vector<SentRequest> sent;
    for (const storage::Record& record : records) {
        if (record.kind != storage::RecordKind::intent || effect_of(record) != EffectKind::think) continue;
        const auto found = rehearsed.find(record.path);
        if (found == rehearsed.end()) continue;
        const auto intent = body_of<IntentBody>(record);
        const auto& think = own_of<ThinkIntent>(intent, record);
        SentRequest one{.seq = record.seq,
                        .at = record.at,
                        .path = record.path,
                        .step = think.step.str(),
                        .model = think.model.is_set() ? think.model.str() : found->second.model,
                        .request = found->second.request};
        one.request.attempt = static_cast<int>(intent.attempt);
        if (think.max_output) one.request.options.max_tokens = think.max_output;
        sent.push_back(std::move(one));
    }
    return sent;
}

}  // namespace cadre::engine
