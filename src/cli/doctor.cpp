#include "cli/doctor.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/shown_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace cadre::cli {
namespace {

struct Check {
    std::string_view name{};
    Finding finding{};
};

struct Look {
    std::string_view mark, ascii_mark;
    Tone tone;
};

Look look_of(Status status)
{
    switch (status) {
    case Status::ok: return {"✓", "+", Tone::green};
    case Status::warning: return {"!", "!", Tone::yellow};
    case Status::failed: break;
    }
    return {"✗", "x", Tone::red};
}

std::size_t count(const std::vector<Check>& checks, Status status)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(checks, [&](const Check& check) { return check.finding.status == status; }));
}

std::string counted(std::size_t number, std::string_view thing)
{
    return number == 0 ? "" : ", " + plural(number, thing);
}

std::string verdict(const std::vector<Check>& checks)
{
    const std::size_t failures = count(checks, Status::failed);
    return fmt::format("{}{}{}", failures == 0 ? "ready" : "not ready", counted(failures, "failure"),
                       counted(count(checks, Status::warning), "warning"));
}

std::string page_of(const std::vector<Check>& checks, const Output& output)
{
    std::size_t width = 0;
    for (const Check& check : checks) width = std::max(width, columns(check.name));
    const std::size_t indent = 2 + width + 2;

    std::string text;
    for (const auto& [name, finding] : checks) {
        if (output.quiet && finding.status == Status::ok) continue;
        const Look look = look_of(finding.status);
        text += output.out.paint(look.tone, output.utf8 ? look.mark : look.ascii_mark) + " " + padded(name, width + 2);
        text += wrapped(printable(finding.found), indent).substr(indent);
        if (!finding.fix.empty()) text += wrapped("Fix: " + printable(finding.fix), indent);
    }
    text += (text.empty() ? "" : "\n") + verdict(checks) + "\n";
    return output.utf8 ? text : in_ascii(text);
}

std::string json_of(const std::vector<Check>& checks)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("ok", count(checks, Status::failed) == 0).key("checks").begin_array();
    for (const auto& [name, finding] : checks) {
        json.begin_object().field("name", name).field("status", name_of(finding.status)).field("found", finding.found);
        if (!finding.fix.empty()) json.field("fix", finding.fix);
        if (!finding.value.empty()) {
            json.key("value").begin_object();
            for (const auto& [what, number] : finding.value) json.field(what, number);
            json.end_object();
        }
        json.end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

}  // namespace

std::string_view name_of(Status status)
{
    switch (status) {
    case Status::ok: return "ok";
    case Status::warning: return "warning";
    case Status::failed: break;
    }
    return "failed";
}

int examine(std::span<const Probe> probes, const Output& output)
{
    std::vector<Check> checks;
    for (const Probe& probe : probes) checks.push_back({probe.name, probe.look()});
    output.print(output.json ? json_of(checks) : page_of(checks, output));
    return count(checks, Status::failed) == 0 ? 0 : surface(Code::unavailable).exit;
}

int doctor(const Args&, Output& output)
{
    std::vector<Probe> probes;
    for (const auto& topic : {system_probes(), storage_probes(), sandbox_probes()})
        probes.insert(probes.end(), topic.begin(), topic.end());
    std::ranges::copy(model_probes(), std::back_inserter(probes));
    return examine(probes, output);
}

}  // namespace cadre::cli
