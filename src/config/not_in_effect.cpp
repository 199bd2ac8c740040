// Settings that nothing heeds yet are told about where they stand: nobody should rely on them.
#include "model/not_in_effect.hpp"
#include "base/json.hpp"
#include "config/file_kind.hpp"
#include "config/read_into.hpp"
#include "config/references.hpp"
#include "model/describe.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace cadre::config {

namespace {

namespace json = boost::json;

/// What says the same as leaving it out.
bool is_default(const json::value& value, const model::Field& field)
{
    if (value.is_null() || (value.is_object() && value.get_object().empty())) return true;
    std::string initial;
    model::write_value(initial, field.initial, *field.type);
    return to_text(value) == initial;
}

class EffectWalk {
public:
    EffectWalk(const File& file, Findings& findings) : file_(file), findings_(findings) {}

    void walk(const json::value& value, const model::Entity& entity, const PathSteps& path)
    {
        const auto* object = value.if_object();
        if (!object) return;
        for (const auto& member : *object) {
            const model::Field* field = entity.find(member.key());
            if (!field) continue;
            const PathSteps here = joined(path, {std::string(field->name)});
            const model::NotInEffect* found = model::find_not_in_effect(entity.name, field->name);
            if (!found) walk(member.value(), *field->type, here);
            else if (!is_default(member.value(), *field)) tell(*found, here);
        }
    }

    void tell(const model::NotInEffect& what, const PathSteps& path)
    {
        const std::string text = fmt::format("is not in effect: {}{}", what.why,
                                             what.is_refused ? ", so such a task is not run; leave it out" : "");
        if (what.is_refused) return report(path, text, *file_.document, findings_);
        const Found found = find(file_.document->value, file_.document->root, path);
        findings_.warn(file_.shown, found.place->key, path.empty() ? text : model::path_text(path) + ": " + text);
    }

private:
    void walk(const json::value& value, const model::Type& type, const PathSteps& path)
    {
        if (type.kind == model::Kind::optional) walk(value, type.item(), path);
        else if (type.kind == model::Kind::entity) walk(value, type.entity(), path);
        else if (const auto* list = value.if_array(); list && type.kind == model::Kind::list)
            for (std::size_t i = 0; i < list->size(); ++i) walk((*list)[i], type.item(), joined(path, {i}));
        else if (const auto* dict = value.if_object(); dict && type.kind == model::Kind::dict)
            for (const auto& member : *dict)
                walk(member.value(), type.item(), joined(path, {std::string(member.key())}));
    }

    const File& file_;
    Findings& findings_;
};

}  // namespace

void check_effects(const Contents& contents, Findings& findings)
{
    for (const auto& file : contents.files) {
        if (!file->kind || !file->document) continue;
        const model::Entity& entity = entity_of(*file->kind);
        EffectWalk walk(*file, findings);
        if (const auto* whole = model::find_not_in_effect(entity.name)) walk.tell(*whole, {});
        else walk.walk(file->document->value, entity, {});
    }
}

}  // namespace cadre::config
