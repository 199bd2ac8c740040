#include "engine/cancel_reason.hpp"

#include "base/async.hpp"
#include "engine/body.hpp"
#include "storage/store.hpp"

namespace cadre::engine {

Async<std::string> cancel_reason(storage::Store& store, Id task)
{
    constexpr std::size_t kPage = 256;
    std::uint32_t next = 1;
    while (true) {
        const auto records = co_await store.read(task, next, kPage);
        if (records.empty()) co_return "";
        for (const storage::Record& record : records)
            if (record.kind == storage::RecordKind::cancel) co_return body_of<CancelBody>(record).reason.str();
        next = records.back().seq + 1;
    }
}

}  // namespace cadre::engine
