#include "engine/delegated.hpp"

#include "engine/body.hpp"

namespace cadre::engine {

std::vector<Delegated> delegated_in(const std::vector<storage::Record>& records)
{
    std::vector<Delegated> found;
    for (const storage::Record& record : records) {
        if (record.kind != storage::RecordKind::intent || effect_of(record) != EffectKind::delegate) continue;
        const auto intent = body_of<IntentBody>(record);
        if (const auto child = find_id(own_of<DelegateIntent>(intent, record).child.str()))
            found.push_back({record.seq, record.path, *child});
    }
    return found;
}

}  // namespace cadre::engine
