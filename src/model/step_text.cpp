#include "model/step_text.hpp"

#include "model/step.hpp"

namespace cadre::model {

std::string text_of(const Step& step)
{
    std::string text;
    for (const Part& part : step.parts)
        if (const auto* said = std::get_if<TextPart>(&part)) text += (text.empty() ? "" : "\n") + said->text;
    return text;
}

}  // namespace cadre::model
