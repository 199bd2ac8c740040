#include "cli/router_verb.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "base/plural.hpp"
#include "base/time.hpp"
#include "cli/args.hpp"
#include "cli/here.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/shown_key.hpp"
#include "cli/task_text.hpp"
#include "config/text_file.hpp"
#include "home/encoders.hpp"
#include "text/encoder.hpp"
#include "text/route/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace cadre::cli {
namespace {

namespace route = text::route;

constexpr std::size_t kMostFileBytes = 256 << 20;
/// On the page; --json has all.
constexpr std::size_t kMostShown = 10;

std::vector<route::Row> rows_of(const std::string& file)
{
    return route::read_csv(config::text_of_file(file, kMostFileBytes), file);
}

std::size_t shots_in(const Args& args)
{
    const auto given = args.find("shots");
    if (!given) return 0;
    std::size_t shots = 0;
    const auto [end, error] = std::from_chars(given->data(), given->data() + given->size(), shots);
    if (error != std::errc() || end != given->data() + given->size() || shots == 0)
        throw Error(Code::invalid, "--shots is a whole number of examples, at least 1, not " + in_quotes(*given));
    return shots;
}

route::Sets sets_of(const Args& args)
{
    route::Sets sets;
    if (const auto second = args.find("validation")) sets = {rows_of(args["file"]), rows_of(*second)};
    else sets = route::split_rows(rows_of(args["file"]));
    sets.training = route::first_of_each(std::move(sets.training), shots_in(args));
    if (sets.validation.empty())
        throw Error(Code::invalid, args["file"] +
                                       ": leaves no rows to ask: five of a label, or a column split with val "
                                       "in it, or a second file with rows to ask");
    return sets;
}

struct Measured {
    route::Evaluation result{};
    std::string encoder{};
    double learnt_ms = 0;
    double asked_us = 0;  // each
};

double since(Instant start)
{
    return std::chrono::duration<double>(system_clock().instant() - start).count();
}

Measured measure(const route::Sets& sets, std::shared_ptr<const text::Encoder> encoder)
{
    const auto entries = route::entries_of(sets.training);
    if (entries.empty()) throw Error(Code::invalid, "there is no row to learn from");
    Measured measured;
    const auto start = system_clock().instant();
    const route::Classifier classifier(entries, std::move(encoder));
    measured.learnt_ms = since(start) * 1e3;
    std::vector<std::string_view> texts;
    for (const route::Row& row : sets.validation) texts.push_back(row.text);
    const auto asked = system_clock().instant();
    const auto verdicts = classifier.classify(texts);
    measured.asked_us = since(asked) * 1e6 / static_cast<double>(texts.size());
    measured.result = route::evaluate(verdicts, sets.validation, entries);
    measured.encoder = classifier.encoder();
    return measured;
}

std::string json_of(const Measured& measured)
{
    const route::Evaluation& result = measured.result;
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("encoder", measured.encoder).field("entries", result.entries);
    json.field("examples", result.examples).field("rows", result.rows).field("out_of_scope", result.out_of_scope);
    json.field("accuracy", result.accuracy).field("calibration_error", result.calibration_error);
    if (result.auroc) json.field("auroc", *result.auroc);
    json.field("threshold", result.threshold).field("coverage", result.coverage);
    json.field("learnt_ms", measured.learnt_ms).field("asked_us", measured.asked_us);
    json.key("confusions").begin_array();
    for (const route::Confusion& one : result.confusions)
        json.begin_object().field("label", one.label).field("given", one.given).field("count", one.count).end_object();
    json.end_array().key("mistakes").begin_array();
    for (const route::Mistake& one : result.mistakes)
        json.begin_object()
            .field("line", one.line)
            .field("text", one.text)
            .field("label", one.label)
            .field("given", one.given)
            .field("confidence", one.confidence)
            .end_object();
    json.end_array().end_object();
    return text + "\n";
}

std::string page_of(const Measured& measured, const Output& output)
{
    const route::Evaluation& result = measured.result;
    std::vector<Row> rows{
        {"learnt from", fmt::format("{} of {}, in {:.0f} ms, by {}", plural(result.examples, "example"),
                                    plural(result.entries, "label"), measured.learnt_ms, measured.encoder)},
        {"asked",
         fmt::format("{}, {} of them out of scope; {:.0f} µs each", plural(result.rows + result.out_of_scope, "row"),
                     result.out_of_scope, measured.asked_us)},
        {"accuracy", fmt::format("{:.2f} %", 100 * result.accuracy)},
        {"calibration error", fmt::format("{:.3f}", result.calibration_error)}};
    if (result.auroc) rows.push_back({"out of scope", fmt::format("{:.3f} (AUROC)", *result.auroc)});
    rows.push_back(
        {"threshold",
         result.coverage > 0
             ? fmt::format("{:.2f}: {:.0f} % of the rows are surer, and right in {:.0f} % of the cases",
                           result.threshold, 100 * result.coverage, 100 * route::kWantedPrecision)
             : fmt::format("none: no answer is right in {:.0f} % of the cases", 100 * route::kWantedPrecision)});
    std::string text = table(rows);
    if (!result.confusions.empty() && !output.quiet) {
        text += "\nMost often taken for another:\n";
        std::vector<Row> pairs;
        for (std::size_t i = 0; i < std::min(kMostShown, result.confusions.size()); ++i) {
            const route::Confusion& one = result.confusions[i];
            pairs.push_back({std::to_string(one.count), printable(one.label + " as " + one.given)});
        }
        text += table(pairs) + "\nSurest mistakes:\n";
        for (std::size_t i = 0; i < std::min(kMostShown, result.mistakes.size()); ++i) {
            const route::Mistake& one = result.mistakes[i];
            text += fmt::format("  line {}, {:.2f}: {} ({}, not {})\n", one.line, one.confidence,
                                one_line(one.text, 60, output.utf8), printable(one.given), printable(one.label));
        }
    }
    return output.utf8 ? text : in_ascii(text);
}

int router(const Args& args, Output& output)
{
    const auto encoder =
        args.has("words") ? nullptr : home::find_encoder(home::embeddings_folder(place_here(), home_here()));
    const Measured measured = measure(sets_of(args), encoder);
    output.print(output.json ? json_of(measured) : page_of(measured, output));
    return 0;
}

std::vector<std::string> router_actions()
{
    return {"eval"};
}

}  // namespace

Verb router_verb()
{
    return {
        .name = "router",
        .summary = "Measure how well requests are routed without a model",
        .arguments = {{.name = "action", .help = "What to do", .choices = router_actions},
                      {.name = "file", .help = "Requests with their labels: CSV with the columns text and label"},
                      {.name = "validation",
                       .help = "A second such file, whose rows are asked; without it, a part of the first one",
                       .count = Argument::Count::optional}},
        .flags = {{.name = "shots", .value = "N", .help = "Learn from the first N rows of each label only"},
                  {.name = "words", .help = "Go by words only, also where cadre embeddings has weights"}},
        .text =
            "Learns from some rows as a router learns from the examples of its agents, asks it the others, and says "
            "how many it got right, which labels it takes for which, and whether it is as sure as it is right. A "
            "column split says which rows are asked (val) and which are learnt from (train); without one every "
            "fifth row of each label is asked. The label oos marks requests that belong to none of them: nothing is "
            "learnt from them, and they show how well such requests are told apart.\n\n"
            "The threshold is the confidence from which on answers are right in 95 % of the cases: what is less "
            "sure is better asked back.",
        .examples = {{"cadre router eval requests.csv", "Four fifths are learnt, one fifth is asked"},
                     {"cadre router eval train.csv val.csv --shots 10", "Ten examples a label"},
                     {"cadre router eval requests.csv --json | jq .accuracy", "For programs"}},
        .run = router,
    };
}

}  // namespace cadre::cli
