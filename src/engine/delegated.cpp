#include "engine/delegated.hpp"

#include "engine/body.hpp"
#include "engine/effect.hpp"

namespace cadre::engine {

std::vector<Delegated> delegated_in(const std::vector<storage::Record>& records)
{
    std::vector<Delegated> found;
    for (const storage::Record& record : records) {
        if (record.kind != storage::RecordKind::intent) continue;
        const Body body(record);
        if (body.text("effect") != name_of(EffectKind::delegate)) continue;
        if (const auto child = find_id(body.text("child"))) found.push_back({record.seq, record.path, *child});
    }
    return found;
}

}  // namespace cadre::engine
