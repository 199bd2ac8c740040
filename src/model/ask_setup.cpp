#include "model/ask_setup.hpp"

#include "model/describe.hpp"

namespace cadre::model {

const Entity& describe(const AskSetup*)
{
    static const Entity entity{
        .name = "ask_setup",
        .doc = "What a question to data domains is pinned to.",
        .fields =
            {
                field("domains", &AskSetup::domains, "As they were when it was asked.", {.required = true}),
                field("options", &AskSetup::options, "Limits, and when people are asked back."),
                field("router", &AskSetup::router, "Who decides which domains are asked."),
                field("has_model", &AskSetup::has_model, "Whether a model can be asked at all."),
            },
        .home = {Home::Kind::inside},
    };
    return entity;
}

}  // namespace cadre::model
