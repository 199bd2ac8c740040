#include "base/async.hpp"
#include "base/json_writer.hpp"
#include "cli/args.hpp"
#include "cli/fork_verbs.hpp"
#include "cli/layout.hpp"
#include "cli/output.hpp"
#include "cli/read_only_home.hpp"
#include "cli/task_text.hpp"
#include "cli/terminal.hpp"
#include "engine/compare.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace cadre::cli {
namespace {

using engine::ComparedStep;
using engine::Comparison;
using engine::StepSide;

/// Of the columns before the text, where paths are long.
constexpr std::size_t kWidestDiffPath = 24;
constexpr std::size_t kWidestDiffWho = 16;
/// Of the page, where nothing says how wide it is.
constexpr std::size_t kWidestDiff = 120;
constexpr std::size_t kLeastText = 10;

struct Pair {
    Id a{}, b{};
    Comparison found{};
};

Async<Pair> compare_tasks(ReadOnlyHome& onlooker, std::string a, std::string b)
{
    engine::Queries& queries = onlooker.queries();
    Pair pair;
    pair.a = co_await queries.resolve(onlooker.who(), std::move(a));
    pair.b = co_await queries.resolve(onlooker.who(), std::move(b));
    const auto records = co_await queries.records(onlooker.who(), pair.a);
    pair.found = engine::compare(records, co_await queries.records(onlooker.who(), pair.b));
    co_return pair;
}

// ---- for programs ----

void append(JsonWriter& json, const std::optional<StepSide>& side)
{
    if (!side) {
        json.null();
        return;
    }
    json.begin_object().field("who", side->who).field("text", side->text).field("tokens", side->tokens);
    json.field("cost_usd", side->cost).field("ms", std::int64_t{side->time.count()});
    json.field("ended", side->ended).field("reused", side->reused).end_object();
}

void append(JsonWriter& json, const std::vector<std::string>& names)
{
    json.begin_array();
    for (const std::string& name : names) json.value(name);
    json.end_array();
}

std::string json_of(const Pair& pair)
{
    std::string text;
    JsonWriter json(text);
    json.begin_object().field("a", to_string(pair.a)).field("b", to_string(pair.b));
    json.field("same", !pair.found.first && pair.found.task.empty());
    append(json.key("task_differs"), pair.found.task);
    json.key("first_difference");
    if (pair.found.first) json.value(pair.found.steps[*pair.found.first].path);
    else json.null();
    json.key("steps").begin_array();
    for (const ComparedStep& step : pair.found.steps) {
        json.begin_object().field("path", step.path).field("effect", step.effect).field("same", step.same());
        append(json.key("differs"), step.differs);
        append(json.key("a"), step.a);
        append(json.key("b"), step.b);
        json.end_object();
    }
    json.end_array().end_object();
    return text + "\n";
}

// ---- for people ----

std::string money(double cost)
{
    return cost > 0 ? engine::dollars(cost) : "";
}

std::string difference_in(const ComparedStep& step)
{
    if (!step.a) return fmt::format("{} is only in B", step.path);
    if (!step.b) return fmt::format("{} is only in A", step.path);
    const bool by_outcome = step.differs == std::vector<std::string>{"outcome"};
    if (by_outcome) return fmt::format("{}: asked the same, and what came of it differs", step.path);
    return fmt::format("{}: {} {}", step.path, fmt::join(step.differs, ", "),
                       step.differs.size() == 1 ? "differs" : "differ");
}

/// A table whose columns are as wide as they must be; what is left is the text's.
class Table {
public:
    explicit Table(const Output& output) : output_(output) {}

    void add(std::string mark, std::string path, std::string side, const StepSide* content)
    {
        Row row{std::move(mark), one_line(path, kWidestDiffPath, output_.utf8), std::move(side)};
        if (content) {
            row.who = one_line(content->who, kWidestDiffWho, output_.utf8);
            if (content->tokens > 0) row.tokens = std::to_string(content->tokens);
            row.money = money(content->cost);
            row.time = content->ended ? cadre::to_text(content->time) : "";
            row.text = content->ended ? content->text : "has not ended";
            if (content->reused) row.text = "(reused) " + row.text;
        } else {
            row.text = "-";
        }
        rows_.push_back(std::move(row));
    }

    std::string text(std::size_t width) const
    {
        const Row head{"", "STEP", "", "WHO", "TOKENS", "COST", "TIME", "TEXT"};
        Row widest = head;
        const auto grow = [](std::string& most, const std::string& one) {
            if (columns(one) > columns(most)) most = one;
        };
        for (const Row& row : rows_) {
            grow(widest.path, row.path);
            grow(widest.who, row.who);
            grow(widest.tokens, row.tokens);
            grow(widest.money, row.money);
            grow(widest.time, row.time);
        }
        if (std::ranges::all_of(rows_, [](const Row& row) { return row.money.empty(); })) widest.money.clear();
        std::string out = line(head, widest, width);
        for (const Row& row : rows_) out += line(row, widest, width);
        return out;
    }

private:
    struct Row {
        std::string mark{}, path{}, side{}, who{}, tokens{}, money{}, time{}, text{};
    };

    static std::string right(const std::string& text, std::size_t width)
    {
        return std::string(width - std::min(width, columns(text)), ' ') + text;
    }

    std::string line(const Row& row, const Row& widest, std::size_t width) const
    {
        std::string front = padded(row.mark, 2) + padded(row.path, columns(widest.path)) + ' ' + padded(row.side, 2) +
                            padded(row.who, columns(widest.who)) + "  " + right(row.tokens, columns(widest.tokens)) +
                            "  ";
        if (!widest.money.empty()) front += right(row.money, columns(widest.money)) + "  ";
        front += right(row.time, columns(widest.time)) + "  ";
        const std::size_t used = columns(front);
        const std::size_t room = width > used + kLeastText ? width - used : kLeastText;
        std::string whole = front + one_line(row.text, room, output_.utf8);
        while (whole.ends_with(' ')) whole.pop_back();
        return one_line(whole, width, output_.utf8) + "\n";
    }

    const Output& output_;
    std::vector<Row> rows_;
};

std::string page_of(const Pair& pair, const Output& output)
{
    const Comparison& found = pair.found;
    const std::size_t width = page_width(kWidestDiff);
    std::string text;
    if (!found.task.empty())
        text += one_line(fmt::format("The tasks have a different {}.", fmt::join(found.task, " and a different ")),
                         width, output.utf8) +
                "\n";
    if (found.first)
        text += output.out.paint(Tone::bold, one_line("First difference: " + difference_in(found.steps[*found.first]),
                                                      width, output.utf8)) +
                "\n";
    else text += "Every step is the same.\n";
    if (found.steps.empty()) return text;

    Table table(output);
    StepSide sum_a{.who = "all", .ended = true}, sum_b = sum_a;
    for (const ComparedStep& step : found.steps) {
        for (const auto& [side, sum] : {std::pair(&step.a, &sum_a), {&step.b, &sum_b}}) {
            if (!*side) continue;
            sum->tokens += (*side)->tokens;
            sum->cost += (*side)->cost;
            sum->time += (*side)->time;
        }
        if (step.same()) {
            table.add("", step.path, "", &*step.b);
            continue;
        }
        table.add("!", step.path, "A", step.a ? &*step.a : nullptr);
        table.add("", "", "B", step.b ? &*step.b : nullptr);
    }
    table.add("", "", "A", &sum_a);
    table.add("", "", "B", &sum_b);
    return text + "\n" + table.text(width);
}

}  // namespace

int diff(const Args& args, Output& output)
{
    ReadOnlyHome onlooker;
    const Pair pair = onlooker.run(compare_tasks(onlooker, args["a"], args["b"]));
    output.print(output.json ? json_of(pair) : page_of(pair, output));
    return 0;
}

}  // namespace cadre::cli
