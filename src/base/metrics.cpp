#include "base/metrics.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

namespace cadre {
namespace {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

constexpr std::string_view kOther = "_other";
constexpr std::string_view kTotal = "_total";

using LabelValues = std::vector<std::string>;

struct LabelOrder {
    using is_transparent = void;
    static std::string_view view(std::string_view text) { return text; }
    bool operator()(const auto& a, const auto& b) const
    {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                            [](const auto& x, const auto& y) { return view(x) < view(y); });
    }
};

bool is_metric_name(std::string_view name)
{
    return !name.empty() && !is_digit(name[0]) &&
           std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

void append_metric_number(std::string& out, double value)
{
    if (std::isnan(value)) out += "NaN";
    else if (std::isinf(value)) out += value > 0 ? "+Inf" : "-Inf";
    else append_ecmascript_number(out, value);
}

/// With a decimal point, as OpenMetrics wants bounds to be written: they are labels, and compared as text.
std::string bound_text(double bound)
{
    std::string out;
    append_json_number(out, bound);
    return out;
}

std::string with_escapes(std::string_view text, bool quotes)
{
    std::string out;
    for (const char c : text) {
        if (c == '\n') out += "\\n";
        else if (c == '\\') out += "\\\\";
        else if (c == '"' && quotes) out += "\\\"";
        else out += c;
    }
    return out;
}

}  // namespace

struct MetricCell {
    explicit MetricCell(std::span<const double> b) : bounds(b), buckets(b.empty() ? 0 : b.size() + 1) {}

    std::span<const double> bounds;                   // of its family
    std::atomic<double> value = 0;                    // of a histogram: the sum
    std::vector<std::atomic<std::uint64_t>> buckets;  // each for itself; the last is what is above all bounds
};

struct MetricFamily {
    MetricFamily(MetricKind k, std::string_view h, LabelValues l, std::span<const double> b)
        : kind(k), help(h), labels(std::move(l)), bounds(b.begin(), b.end())
    {}

    MetricKind kind;
    std::string help;
    LabelValues labels;
    std::vector<double> bounds;
    mutable std::mutex mutex;  // of the map; cells are atomic and stay where they are
    std::map<LabelValues, MetricCell, LabelOrder> cells;
};

namespace {

/// Writes one family.
class FamilyText {
public:
    FamilyText(std::string& out, std::string_view name, const MetricFamily& family, MetricsForm form)
        : out_(out), name_(name), family_(family), form_(form)
    {}

    void write()
    {
        constexpr std::string_view kinds[] = {"counter", "gauge", "histogram"};
        const bool open = form_ == MetricsForm::open_metrics;
        std::string_view about = name_;  // OpenMetrics knows a counter without its ending
        if (open && family_.kind == MetricKind::counter) about.remove_suffix(kTotal.size());
        line({"# HELP ", about, " ", with_escapes(family_.help, open)});
        line({"# TYPE ", about, " ", kinds[static_cast<std::size_t>(family_.kind)]});
        const std::lock_guard lock(family_.mutex);
        for (const auto& [values, cell] : family_.cells) {
            if (family_.kind == MetricKind::histogram) histogram(values, cell);
            else sample("", values, {}, cell.value.load(std::memory_order_relaxed));
        }
    }

private:
    void line(std::initializer_list<std::string_view> words)
    {
        for (const std::string_view word : words) out_ += word;
        out_ += '\n';
    }

    void histogram(const LabelValues& values, const MetricCell& cell)
    {
        std::uint64_t count = 0;  // of all buckets, read once: it agrees with them even while somebody counts
        for (std::size_t i = 0; i < cell.buckets.size(); ++i) {
            count += cell.buckets[i].load(std::memory_order_relaxed);
            const bool last = i == family_.bounds.size();
            sample("_bucket", values, last ? "+Inf" : bound_text(family_.bounds[i]), static_cast<double>(count));
        }
        sample("_count", values, {}, static_cast<double>(count));
        sample("_sum", values, {}, cell.value.load(std::memory_order_relaxed));
    }

    void sample(std::string_view ending, const LabelValues& values, std::string_view bound, double value)
    {
        out_ += name_;
        out_ += ending;
        std::string_view separator = "{";
        const auto label = [&](std::string_view name, std::string_view text) {
            out_ += separator;
            out_ += name;
            out_ += "=\"" + with_escapes(text, true) + '"';
            separator = ",";
        };
        for (std::size_t i = 0; i < values.size(); ++i) label(family_.labels[i], values[i]);
        if (!bound.empty()) label("le", bound);
        out_ += separator == "," ? "} " : " ";
        append_metric_number(out_, value);
        out_ += '\n';
    }

    std::string& out_;
    std::string_view name_;
    const MetricFamily& family_;
    MetricsForm form_;
};

}  // namespace

MetricCell& metric_cell(MetricFamily& family, std::span<const std::string_view> values)
{
    if (values.size() != family.labels.size())
        throw Error(Code::internal, "a metric has " + std::to_string(family.labels.size()) + " labels, not " +
                                        std::to_string(values.size()));
    const std::lock_guard lock(family.mutex);
    const auto found = family.cells.find(values);
    if (found != family.cells.end()) return found->second;
    LabelValues own(values.begin(), values.end());
    if (family.cells.size() >= kMostLabelSets) std::ranges::fill(own, kOther);
    return family.cells.try_emplace(std::move(own), family.bounds).first->second;
}

void Counter::add(double amount) const noexcept
{
    cell_->value.fetch_add(amount, std::memory_order_relaxed);
}

void Gauge::set(double value) const noexcept
{
    cell_->value.store(value, std::memory_order_relaxed);
}

void Gauge::add(double amount) const noexcept
{
    cell_->value.fetch_add(amount, std::memory_order_relaxed);
}

void Histogram::observe(double value) const noexcept
{
    const auto bucket = std::ranges::lower_bound(cell_->bounds, value) - cell_->bounds.begin();
    cell_->buckets[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    cell_->value.fetch_add(value, std::memory_order_relaxed);
}

struct Metrics::Impl {
    MetricFamily& family(MetricKind kind, std::string_view name, std::string_view help, Labels labels,
                         std::span<const double> bounds = {})
    {
        if (!is_metric_name(name) || !std::ranges::all_of(labels, is_metric_name) ||
            name.ends_with(kTotal) != (kind == MetricKind::counter))
            throw Error(Code::internal, in_quotes(name) + " or a label of it cannot be a metric's name");
        const std::lock_guard lock(mutex);
        const auto found = families.find(name);
        if (found == families.end())
            return families.try_emplace(std::string(name), kind, help, std::move(labels), bounds).first->second;
        const MetricFamily& before = found->second;
        if (before.kind != kind || before.labels != labels || !std::ranges::equal(before.bounds, bounds))
            throw Error(Code::internal, "the metric " + std::string(name) + " is something else already");
        return found->second;
    }

    mutable std::mutex mutex;
    std::map<std::string, MetricFamily, std::less<>> families;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>())
{}
Metrics::~Metrics() = default;

Labelled<Counter> Metrics::counters(std::string_view name, std::string_view help, Labels labels)
{
    return Labelled<Counter>(impl_->family(MetricKind::counter, name, help, std::move(labels)));
}

Labelled<Gauge> Metrics::gauges(std::string_view name, std::string_view help, Labels labels)
{
    return Labelled<Gauge>(impl_->family(MetricKind::gauge, name, help, std::move(labels)));
}

Labelled<Histogram> Metrics::histograms(std::string_view name, std::string_view help, Labels labels,
                                        std::span<const double> bounds)
{
    return Labelled<Histogram>(impl_->family(MetricKind::histogram, name, help, std::move(labels), bounds));
}

Counter Metrics::counter(std::string_view name, std::string_view help)
{
    return counters(name, help, {}).with({});
}

Gauge Metrics::gauge(std::string_view name, std::string_view help)
{
    return gauges(name, help, {}).with({});
}

Histogram Metrics::histogram(std::string_view name, std::string_view help, std::span<const double> bounds)
{
    return histograms(name, help, {}, bounds).with({});
}

std::string Metrics::text(MetricsForm form) const
{
    std::string out;
    const std::lock_guard lock(impl_->mutex);
    for (const auto& [name, family] : impl_->families) FamilyText(out, name, family, form).write();
    if (form == MetricsForm::open_metrics) out += "# EOF\n";
    return out;
}

std::string_view Metrics::content_type(MetricsForm form)
{
    return form == MetricsForm::prometheus ? "text/plain; version=0.0.4; charset=utf-8"
                                           : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

}  // namespace cadre
