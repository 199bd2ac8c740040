#include "text/route/evaluation.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

namespace cadre::text::route {
namespace {

constexpr std::size_t kBins = 15;
constexpr std::size_t kEvery = 5;

struct Answer {
    double confidence;
    bool right;
};

double calibration_error(std::span<const Answer> answers)
{
    struct Bin {
        double confidence = 0;
        double right = 0;
    };
    std::array<Bin, kBins> bins;
    for (const Answer& answer : answers) {
        Bin& bin = bins[std::min(kBins - 1, static_cast<std::size_t>(answer.confidence * kBins))];
        bin.confidence += answer.confidence;
        bin.right += answer.right ? 1 : 0;
    }
    double apart = 0;
    for (const Bin& bin : bins) apart += std::abs(bin.confidence - bin.right);
    return answers.empty() ? 0 : apart / static_cast<double>(answers.size());
}

/// The lowest confidence from which on answers are right as often as is wanted.
void suggest_threshold(Evaluation& result, std::vector<Answer> answers)
{
    std::ranges::sort(answers, std::greater<>(), &Answer::confidence);
    std::size_t right = 0;
    result.threshold = 1;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        right += answers[i].right ? 1 : 0;
        const double precision = static_cast<double>(right) / static_cast<double>(i + 1);
        if (precision < kWantedPrecision) continue;
        result.threshold = answers[i].confidence;
        result.coverage = static_cast<double>(i + 1) / static_cast<double>(answers.size());
    }
}

bool is_validation(std::string_view split)
{
    constexpr std::string_view names[] = {"val", "valid", "validation", "dev", "test", "eval"};
    return std::ranges::any_of(names, [&](std::string_view name) { return same_in_any_case(name, split); });
}

}  // namespace

Sets split_rows(std::vector<Row> rows)
{
    Sets sets;
    const bool has_column = std::ranges::any_of(rows, [](const Row& row) { return !row.split.empty(); });
    std::map<std::string, std::size_t> counts;
    for (Row& row : rows) {
        const bool asked = has_column ? is_validation(row.split) : ++counts[row.label] % kEvery == 0;
        (asked ? sets.validation : sets.training).push_back(std::move(row));
    }
    return sets;
}

std::vector<Row> first_of_each(std::vector<Row> rows, std::size_t shots)
{
    if (shots == 0) return rows;
    std::map<std::string, std::size_t> counts;
    std::erase_if(rows, [&](const Row& row) { return ++counts[row.label] > shots; });
    return rows;
}

std::vector<Entry> entries_of(std::span<const Row> training)
{
    std::map<std::string, std::vector<std::string>> examples;
    for (const Row& row : training)
        if (row.label != kOutOfScope) examples[row.label].push_back(row.text);
    std::vector<Entry> entries;
    for (auto& [name, texts] : examples) entries.push_back({name, "", std::move(texts)});
    return entries;
}

double area_under_curve(std::span<const double> high, std::span<const double> low)
{
    std::vector<double> sorted(low.begin(), low.end());
    std::ranges::sort(sorted);
    double above = 0;
    for (const double value : high) {
        const auto [from, to] = std::ranges::equal_range(sorted, value);
        above += static_cast<double>(from - sorted.begin()) + static_cast<double>(to - from) / 2;
    }
    const double pairs = static_cast<double>(high.size()) * static_cast<double>(low.size());
    return pairs > 0 ? above / pairs : 0;
}

Evaluation evaluate(std::span<const Verdict> verdicts, std::span<const Row> rows, std::span<const Entry> entries)
{
    Evaluation result{.entries = entries.size()};
    for (const Entry& entry : entries) result.examples += entry.examples.size();
    std::vector<Answer> answers;
    std::vector<double> in_scope, out_of_scope;
    std::map<std::pair<std::string, std::string>, std::size_t> confusions;
    std::size_t right = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        const Verdict& verdict = verdicts[i];
        if (row.label == kOutOfScope) {
            out_of_scope.push_back(verdict.in_scope);
            answers.push_back({verdict.confidence, false});
            continue;
        }
        if (std::ranges::find(entries, row.label, &Entry::name) == entries.end())
            throw Error(Code::invalid, "line " + std::to_string(row.line) + ": the label " + in_quotes(row.label) +
                                           " has no example to learn from");
        in_scope.push_back(verdict.in_scope);
        const std::string& given = entries[verdict.best.front().entry].name;
        answers.push_back({verdict.confidence, given == row.label});
        if (given == row.label) {
            ++right;
            continue;
        }
        ++confusions[{row.label, given}];
        result.mistakes.push_back({row.line, row.text, row.label, given, verdict.confidence});
    }
    result.rows = in_scope.size();
    result.out_of_scope = out_of_scope.size();
    if (result.rows) result.accuracy = static_cast<double>(right) / static_cast<double>(result.rows);
    result.calibration_error = calibration_error(answers);
    if (!out_of_scope.empty()) result.auroc = area_under_curve(in_scope, out_of_scope);
    suggest_threshold(result, std::move(answers));
    for (auto& [pair, count] : confusions) result.confusions.push_back({pair.first, pair.second, count});
    std::ranges::sort(result.confusions, [](const Confusion& a, const Confusion& b) {
        return std::tie(b.count, a.label, a.given) < std::tie(a.count, b.label, b.given);
    });
    std::ranges::sort(result.mistakes, [](const Mistake& a, const Mistake& b) {
        return std::tie(b.confidence, a.line) < std::tie(a.confidence, b.line);
    });
    return result;
}

}  // namespace cadre::text::route
