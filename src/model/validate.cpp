// Rules for entities that were made and not read: types are right by construction, rules may be broken.
#include "model/read.hpp"
#include "model/rules.hpp"

namespace cadre::model {

void validate(const void* entity, const Entity& description, const Path& path, Problems& problems)
{
    for (const Field& field : description.fields) {
        const Path inner(path, field.name);
        check_rule(field.in(entity), *field.type, field.rule, inner, problems);
        validate_value(field.in(entity), *field.type, inner, problems);
    }
    check_between(entity, description, path, problems);
}

void validate_value(const void* value, const Type& type, const Path& path, Problems& problems)
{
    switch (type.kind) {
    case Kind::optional:
        if (const void* inner = type.find(value)) validate_value(inner, type.item(), path, problems);
        break;
    case Kind::list:
        for (std::size_t i = 0; i < type.size(value); ++i)
            validate_value(type.at(value, i), type.item(), Path(path, i), problems);
        break;
    case Kind::dict:
        for (std::size_t i = 0; i < type.size(value); ++i)
            validate_value(type.at(value, i), type.item(), Path(path, type.key(value, i)), problems);
        break;
    case Kind::entity: validate(value, type.entity(), path, problems); break;
    case Kind::variant: validate(type.active(value), type.alternative(type.index(value)), path, problems); break;
    case Kind::string:
    case Kind::boolean:
    case Kind::integer:
    case Kind::number:
    case Kind::time:
    case Kind::id:
    case Kind::any:
    case Kind::object:
    case Kind::enumeration: break;
    }
}

}  // namespace cadre::model
