// What does a prompt cost, and a condition? Beside it: Debian's Jinja with the same texts and names in the same run (template_bench.py).
#include "base/json.hpp"
#include "text/template/template.hpp"

#include <boost/json.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace fs = std::filesystem;
using namespace cadre;

namespace {

constexpr std::string_view kPrompt = R"(You are {{ agent.name }}, {{ agent.role|lower }} in the team "{{ team.name }}".

Your task: {{ task.description|trim }}
{% if task.input.deadline is defined %}It is due {{ task.input.deadline }}.{% else %}There is no deadline.{% endif %}

{% if state.facts -%}
What is known so far:
{% for fact in state.facts -%}
{{ loop.index }}. {{ fact.text|truncate(120) }} ({{ fact.source|default("no source") }}{% if fact.score >= 0.8 %}, certain{% endif %})
{% endfor %}
{%- endif %}
{% for name in team.agents if name != agent.name %}{% if loop.first %}You can ask: {% endif %}{{ name }}{{ ", " if not loop.last else "." }}{% endfor %}

Rules:
- Answer in {{ state.language|default("English") }}, in at most {{ limits.words }} words; be precise, and say when you do not know something.
- Cite the number of each fact that you use, as in [1]. Facts that are not certain must be marked as such in the text itself.
- Do not repeat what others have said; add what is missing, and correct what is wrong. When two facts contradict each other, say so.
- When you need a tool, call it; when a tool fails, say what failed and go on without it. Never make up the result of a tool.
- Figures keep their units and the currency in which they were given; convert nothing without saying at which rate, and on which day.
- Quote what others wrote word for word, in quotation marks, and never more than two sentences of it. Names of people are left out.
- If the task cannot be done with what is known, say which question would have to be answered first, and by whom; do not guess.
- The reader is {{ task.input.reader|default("a person who decides about money and has five minutes") }}: begin with the result, then the reasons.
{% if errors %}The last attempt failed: {{ errors|join("; ") }}. Do not repeat it.
{% endif %}
Last answer of {{ last.agent|title }}:
{{ last.text|indent(2, true) }}

Write the result as JSON with the fields {{ fields|sort|join(", ") }}.
)";

constexpr std::string_view kCondition = "state.score > 0.8 and steps < 20 and 'urgent' not in task.input.tags";

constexpr std::string_view kNames = R"({
 "agent": {"name": "analyst", "role": "Senior Analyst"}, "team": {"name": "Research", "agents": ["writer", "analyst", "critic", "editor"]},
 "task": {"description": "  Compare the three proposals and say which one costs least over five years.  ", "input": {"deadline": "2026-12-01", "tags": ["long", "cost"]}},
 "state": {"language": "English", "score": 0.91, "facts": [
   {"text": "Proposal A costs 120,000 in the first year and 8,000 in each year after it, including support.", "source": "a.pdf", "score": 0.95},
   {"text": "Proposal B has no licence fee, but asks for two people to run it.", "score": 0.6},
   {"text": "Proposal C is billed by use; last year's use would have cost 31,500.", "source": "c.csv", "score": 0.88},
   {"text": "Energy prices are expected to rise by four percent a year.", "source": "web", "score": 0.4}]},
 "limits": {"words": 250}, "errors": [], "steps": 4, "fields": ["summary", "costs", "winner", "open_questions"],
 "last": {"agent": "writer", "text": "The proposals differ most in what is counted as support.\nI would first make their figures comparable."}})";

/// Microseconds of processor time for one, at best.
double microseconds(const std::function<void()>& work)
{
    double best = 1e9;
    for (int round = 0; round < 40; ++round) {
        const std::clock_t start = std::clock();
        constexpr int kTimes = 500;
        for (int i = 0; i < kTimes; ++i) work();
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC * 1e6 / kTimes);
    }
    return best;
}

std::string judged(const std::string& argument)
{
    const fs::path script = fs::path(CADRE_SOURCE_DIR) / "bench/template_bench.py";
    std::fflush(stdout);
    FILE* pipe = ::popen(fmt::format("/usr/bin/python3 '{}' '{}'", script.string(), argument).c_str(), "r");
    std::string said(400, '\0');
    said.resize(pipe ? std::fread(said.data(), 1, said.size(), pipe) : 0);
    if (pipe) ::pclose(pipe);
    return said.substr(0, said.find('\n'));
}

}  // namespace

int main()
{
    text::Scope scope;
    const json::value names = parse_json(kNames);
    for (const auto& [name, value] : names.as_object()) scope.set(name, text::from_json(value));
    const text::Template prompt = text::Template::parse(kPrompt);
    const text::Expression condition = text::Expression::parse(kCondition);
    const std::string text = prompt.render(scope);
    bool holds = false;

    fmt::print("prompt of {} bytes, {} rendered: render {:.2f} us (aim: 20), parse {:.1f} us\n", kPrompt.size(),
               text.size(), microseconds([&] { prompt.render(scope); }),
               microseconds([&] { text::Template::parse(kPrompt); }));
    fmt::print("condition of {} bytes: {:.3f} us (aim: 1), parse {:.2f} us\n", kCondition.size(),
               microseconds([&] { holds = condition.truth(scope); }),
               microseconds([&] { text::Expression::parse(kCondition); }));
    fmt::print("names from JSON: {:.2f} us; condition holds: {}\n", microseconds([&] { text::from_json(names); }),
               holds);

    const fs::path file = fs::temp_directory_path() / "cadre_template_bench.json";
    std::ofstream(file) << to_text(
        json::object{{"prompt", kPrompt}, {"condition", kCondition}, {"names", names}, {"text", text}});
    fmt::print("Jinja: {}\n", judged(file.string()));
    fs::remove(file);
}
