#include "model/permissions.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const Permissions*)
{
    static const Entity entity{
        .name = "permissions",
        .doc = "Which calls of tools are refused, allowed or asked about. A pattern is a tool's name, or its name and "
               "arguments: "
               "`shell:command=git *`; `*` stands for any text. The first list with a pattern that fits counts; where "
               "none fits, the tool's own `permission`.",
        .fields = {field("deny", &Permissions::deny, "Calls that are refused.", {.unique = true}),
                   field("allow", &Permissions::allow, "Calls that need no approval.", {.unique = true}),
                   field("ask", &Permissions::ask, "Calls that a person must agree to.", {.unique = true})},
        .example =
            R"({"deny":["shell:command=rm *"],"allow":["read_file","shell:command=git status*"],"ask":["shell"]})"};
    return entity;
}

}  // namespace cadre::model
