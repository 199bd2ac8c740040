#include "engine/spent.hpp"

#include "engine/body.hpp"

#include <boost/json.hpp>

#include <map>
#include <string_view>
#include <utility>

namespace cadre::engine {

using storage::Record;
using storage::RecordKind;

Spending spent_in(const std::vector<Record>& records, const TaskState& state)
{
    Spending spent;
    std::map<std::string_view, Spending> reserved;  // of the last attempt at a path
    for (const Record& record : records) {
        if (record.kind != RecordKind::intent && record.kind != RecordKind::outcome &&
            record.kind != RecordKind::attempt_failed)
            continue;
        if (state.is_reused(record.seq)) continue;
        if (record.body.find(R"("effect":"think")") == std::string::npos) continue;
        const Body body(record);
        Spending& open = reserved[record.path];
        if (record.kind == RecordKind::intent) {
            open = {.tokens = body.number("reserve"), .cost = body.decimal("reserve_cost")};
            spent += open;
            ++spent.steps;
        } else if (body.flag("free")) {
            spent -= std::exchange(open, {});
        } else if (const auto* usage = body.find("usage"); usage && usage->is_object()) {
            const Body used(usage->get_object());
            spent -= open;
            spent += {.tokens = used.number("input") + used.number("output"), .cost = used.decimal("cost")};
        }
    }
    return spent;
}

}  // namespace cadre::engine
