#include "testing/case_script.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "config/project.hpp"
#include "home/models.hpp"
#include "llm/script_entry.hpp"
#include "llm/script_file.hpp"
#include "model/providers.hpp"
#include "model/write.hpp"

#include <boost/json.hpp>

namespace cadre::testing {
namespace {

/// A JSON list whose elements stand on lines of our choice: what is said of an entry then names the line that people know.
class LinedList {
public:
    void add(const std::string& entry, std::size_t line)
    {
        if (!first_) text_ += ',';
        first_ = false;
        for (; line_ < line; ++line_) text_ += '\n';
        text_ += entry;
    }
    std::string text() const { return text_ + "]"; }

private:
    std::string text_ = "[";
    std::size_t line_ = 1;
    bool first_ = true;
};

void add_faults(LinedList& list, const model::TestCase& test)
{
    for (const model::TestFault& fault : test.faults) {
        if (!fault.status) continue;
        const llm::ScriptEntry entry{.when = {.agent = fault.agent, .nth = fault.nth},
                                     .times = fault.times,
                                     .fail = llm::ScriptFailure{.status = *fault.status, .message = fault.error}};
        list.add(model::to_json_text(entry), 1);
    }
}

bool has_model_faults(const model::TestCase& test)
{
    return std::ranges::any_of(test.faults, [](const model::TestFault& fault) { return fault.status.has_value(); });
}

}  // namespace

std::optional<std::string> model_of(const Suite& suite, const model::TestCase& test)
{
    if (!test.model) return std::nullopt;
    return home::whole_spec(*test.model, suite.folder());
}

std::optional<CaseScript> script_of(const Suite& suite, const model::TestCase& test, std::size_t index)
{
    if (!test.script && !has_model_faults(test)) return std::nullopt;
    LinedList list;
    add_faults(list, test);
    if (test.script) {
        for (std::size_t i = 0; i < test.script->size(); ++i)
            list.add(to_text((*test.script)[i]), suite.file->document->value_at({"cases", index, "script", i}).line);
        return CaseScript{.text = list.text(), .shown = suite.file->shown};
    }
    const std::string spec = model_of(suite, test).value_or("");
    const std::string file(model::split_model_name(spec).model);
    config::Findings findings;
    const auto text = config::read_file(file, file, findings);
    findings.raise();
    for (const llm::ScriptLine& line : llm::read_script(*text, file))
        list.add(model::to_json_text(line.entry), line.line);
    return CaseScript{.text = list.text(), .shown = file};
}

}  // namespace cadre::testing
