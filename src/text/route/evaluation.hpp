// How well a classifier does on requests whose entry is known.
#pragma once

#include "text/route/classifier.hpp"
#include "text/route/csv.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::text::route {

/// The label of requests that belong to no entry.
inline constexpr std::string_view kOutOfScope = "oos";

/// What is learnt from, and what is asked.
struct Sets {
    std::vector<Row> training{};
    std::vector<Row> validation{};
};

/// By the column `split` where it has one (train; val, valid, validation, dev or test), else every fifth row of each label is asked.
Sets split_rows(std::vector<Row> rows);
/// The first so many of each label; 0: all.
std::vector<Row> first_of_each(std::vector<Row> rows, std::size_t shots);
/// One for each label but kOutOfScope.
std::vector<Entry> entries_of(std::span<const Row> training);

struct Confusion {
    std::string label{};  // as it should be
    std::string given{};
    std::size_t count = 0;
};

struct Mistake {
    std::size_t line = 0;
    std::string text{};
    std::string label{};
    std::string given{};
    double confidence = 0;
};

struct Evaluation {
    std::size_t entries = 0;
    std::size_t examples = 0;
    std::size_t rows = 0;  // in scope
    std::size_t out_of_scope = 0;
    double accuracy = 0;                  // of the rows in scope
    double calibration_error = 0;         // how far confidence and accuracy are apart, on average (ECE, 15 bins)
    std::optional<double> auroc{};        // how well requests out of scope are told apart; nothing: there are none
    double threshold = 0;                 // of confidence: surer answers are right in kWantedPrecision of the cases
    double coverage = 0;                  // how many rows are that sure
    std::vector<Confusion> confusions{};  // the most frequent first
    std::vector<Mistake> mistakes{};      // the surest first
};

/// What is answered above the suggested threshold should be right so often.
inline constexpr double kWantedPrecision = 0.95;

/// `labels[i]` is the name of the entry `i`. Rows whose label is none of them throw Error(invalid).
Evaluation evaluate(std::span<const Verdict> verdicts, std::span<const Row> rows, std::span<const Entry> entries);

/// The chance that one of `high` is higher than one of `low`.
double area_under_curve(std::span<const double> high, std::span<const double> low);

}  // namespace cadre::text::route
