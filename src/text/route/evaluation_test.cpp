#include "text/route/evaluation.hpp"

#include "base/error.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace cadre;
using namespace cadre::text::route;

namespace {

std::string csv_error(std::string_view content)
{
    try {
        read_csv(content, "f.csv");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("csv: columns in any order, quotes, line breaks and empty lines as RFC 4180 has them")
{
    const auto rows = read_csv("\xEF\xBB\xBFlabel,extra,text\r\n"
                               "a,x,\"one, \"\"two\"\"\"\r\n"
                               "\r\n"
                               "b,,\"line\nbreak\"\n"
                               "c,,last",
                               "f.csv");
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].text == "one, \"two\"");
    CHECK(rows[0].label == "a");
    CHECK(rows[1].text == "line\nbreak");
    CHECK(rows[2].text == "last");
    CHECK(rows[2].line == 6);
}

TEST_CASE("csv: what is wrong is told with its line")
{
    CHECK(csv_error("") == "f.csv: is empty; its first line must be text,label");
    CHECK(csv_error("a,b\n1,2\n") == "f.csv:1: the first line must name the columns text and label");
    CHECK(csv_error("text,label\nx\n") == "f.csv:2: has 1 fields, fewer than its columns");
    CHECK(csv_error("text,label\nx,\n") == "f.csv:2: has no label");
    CHECK(csv_error("text,label\n\"x,y\n") == "f.csv:2: a quoted field does not end");
    CHECK(csv_error("text,label\n\"x\"y,z\n") == "f.csv:2: text follows the end of a quoted field");
    CHECK(csv_error("text,label\n") == "f.csv: has no rows");
}

TEST_CASE("evaluation: rows are split by their column, else every fifth of a label is asked")
{
    std::string text = "text,label\n";
    for (int i = 0; i < 10; ++i) text += "t" + std::to_string(i) + ",a\n";
    const Sets fifth = split_rows(read_csv(text, "f"));
    REQUIRE(fifth.validation.size() == 2);
    CHECK(fifth.validation[0].text == "t4");
    CHECK(fifth.training.size() == 8);
    CHECK(first_of_each(fifth.training, 3).size() == 3);
    const Sets column = split_rows(read_csv("text,label,split\nx,a,train\ny,a,Val\nz,oos,test\n", "f"));
    CHECK(column.training.size() == 1);
    CHECK(column.validation.size() == 2);
}

TEST_CASE("evaluation: counts, confusions, calibration, curve and threshold are as by hand")
{
    const std::vector<Entry> entries{{"a", "", {"x", "y"}}, {"b", "", {"z"}}};
    const auto verdict = [](std::size_t entry, double confidence, double in_scope) {
        return Verdict{.best = {{entry, confidence}}, .confidence = confidence, .in_scope = in_scope};
    };
    const std::vector<Row> rows{{"1", "a", "", 2}, {"2", "a", "", 3}, {"3", "b", "", 4}, {"4", "oos", "", 5}};
    const std::vector<Verdict> verdicts{verdict(0, 0.99, 0.9), verdict(1, 0.6, 0.4), verdict(1, 0.9, 0.8),
                                        verdict(0, 0.5, 0.5)};
    const Evaluation result = evaluate(verdicts, rows, entries);
    CHECK(result.entries == 2);
    CHECK(result.examples == 3);
    CHECK(result.rows == 3);
    CHECK(result.out_of_scope == 1);
    CHECK(result.accuracy == doctest::Approx(2.0 / 3));
    CHECK(result.calibration_error == doctest::Approx((0.01 + 0.6 + 0.1 + 0.5) / 4));
    CHECK(result.auroc.value() == doctest::Approx(2.0 / 3));
    CHECK(result.threshold == doctest::Approx(0.9));
    CHECK(result.coverage == doctest::Approx(0.5));
    REQUIRE(result.confusions.size() == 1);
    CHECK(result.confusions[0].label == "a");
    CHECK(result.confusions[0].given == "b");
    REQUIRE(result.mistakes.size() == 1);
    CHECK(result.mistakes[0].line == 3);
    const std::vector<Row> unknown{{"1", "c", "", 7}};
    CHECK_THROWS_WITH_AS(evaluate(verdicts, unknown, entries), R"(line 7: the label "c" has no example to learn from)",
                         Error);
}

TEST_CASE("evaluation: the curve is 1 where all are apart, 0.5 where none is, and counts ties half")
{
    const std::vector<double> low{0.1, 0.2}, high{0.8, 0.9}, same{0.1, 0.2};
    CHECK(area_under_curve(high, low) == 1);
    CHECK(area_under_curve(low, high) == 0);
    CHECK(area_under_curve(same, low) == 0.5);
    CHECK(area_under_curve({}, low) == 0);
}
