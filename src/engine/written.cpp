#include "engine/written.hpp"

#include "base/error.hpp"
#include "engine/body.hpp"

#include <variant>

namespace cadre::engine {

using storage::RecordKind;

bool is_read_by_fold(RecordKind kind)
{
    return kind == RecordKind::created || kind == RecordKind::started || kind == RecordKind::intent ||
           kind == RecordKind::outcome || kind == RecordKind::completed || kind == RecordKind::failed;
}

void expect_writable(const storage::Record& record)
{
    const ReadStrictly strictly;
    try {
        const Body body(record);
        body.expect_readable();
        const auto* intent = body.find<IntentBody>();
        const auto* outcome = body.find<OutcomeBody>();
        if ((intent && std::holds_alternative<NewerIntent>(intent->of)) ||
            (outcome && std::holds_alternative<NewerOutcome>(outcome->of)))
            throw_unreadable(record, "there is no such effect");
    } catch (const Error& error) {
        throw Error(Code::internal, std::string("it was not written down: ") + error.what());
    }
}

}  // namespace cadre::engine
