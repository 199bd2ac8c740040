// The first byte chooses an entity, the rest is its JSON: whatever reads without problems is written as JSON that reads
// back and is written the same.
#include "base/error.hpp"
#include "base/json.hpp"
#include "expect.hpp"
#include "model/describe.hpp"
#include "model/json_schema.hpp"
#include "model/kernel.hpp"
#include "model/read.hpp"
#include "model/reference_page.hpp"
#include "model/views/agentx.hpp"
#include "model/views/conversation.hpp"
#include "model/views/domains.hpp"
#include "model/views/framework.hpp"
#include "model/views/orchestration.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::model;

namespace {

/// All entities that have fields.
const std::vector<const Entity*>& entities()
{
    static const std::vector<const Entity*> all = [] {
        std::vector<const Entity*> list;
        for (const auto& of_view : {conversation::entities(), orchestration::entities(), framework::entities(),
                                    domains::entities(), agentx::entities(), kernel_entities()})
            for (const Entity* entity : of_view) {
                EXPECT(json_schema(*entity).is_object());
                EXPECT(!reference_page(*entity).empty());
                if (entity->make()) list.push_back(entity);
            }
        EXPECT(list.size() <= 256);
        return list;
    }();
    return all;
}

/// What is written of `value` read as that entity; nothing if it has problems.
std::string read_and_written(const json::value& value, const Entity& entity)
{
    const std::shared_ptr<void> object = entity.make();
    Problems problems;
    read(value, object.get(), entity, {}, problems, {});
    std::string text;
    if (problems.empty()) write(text, object.get(), entity);
    EXPECT(problems.list().size() <= kMaxProblems);
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size)
{
    if (size == 0) return 0;
    const Entity& entity = *entities()[data[0] % entities().size()];
    json::value value;
    try {
        value = parse_json(fuzz::text_of(data + 1, size - 1), {.bytes = 1 << 16, .depth = 16, .nodes = 2'000});
    } catch (const Error&) {
        return 0;  // json_fuzz is about these
    }
    const std::string text = read_and_written(value, entity);
    if (!text.empty()) EXPECT(read_and_written(parse_json(text), entity) == text);
    return 0;
}
