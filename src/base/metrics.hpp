// Numbers about a program at work, for Prometheus and its like: counters, gauges and histograms, told apart by labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cadre {

struct MetricFamily;  // one name, and everything that is counted under it
struct MetricCell;    // one set of values for its labels

/// Only grows.
class Counter {
public:
    explicit Counter(MetricCell& cell) : cell_(&cell) {}
    void add(double amount = 1) const noexcept;

private:
    MetricCell* cell_;
};

class Gauge {
public:
    explicit Gauge(MetricCell& cell) : cell_(&cell) {}
    void set(double value) const noexcept;
    void add(double amount) const noexcept;

private:
    MetricCell* cell_;
};

/// How often values were no larger than each of its bounds, and their sum.
class Histogram {
public:
    explicit Histogram(MetricCell& cell) : cell_(&cell) {}
    void observe(double value) const noexcept;

private:
    MetricCell* cell_;
};

MetricCell& metric_cell(MetricFamily& family, std::span<const std::string_view> values);

/// Handles are cheap values, and hold as long as their Metrics; who counts often keeps one.
template <class Handle>
class Labelled {
public:
    explicit Labelled(MetricFamily& family) : family_(&family) {}

    /// One value for each label, in their order, from a fixed set: routes, states, configured names; never ids, never what clients
    /// say. After kMostLabelSets different ones, all further are counted together, under `_other`.
    Handle with(std::initializer_list<std::string_view> values) const
    {
        return Handle(metric_cell(*family_, {values.begin(), values.size()}));
    }

private:
    MetricFamily* family_;
};

inline constexpr std::size_t kMostLabelSets = 2'000;

/// Bounds for what takes milliseconds to a minute, in seconds.
inline constexpr double kSecondsBounds[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                            0.5,   1,      2.5,   5,    10,    30,   60};

enum class MetricsForm : std::uint8_t {
    prometheus,    // text 0.0.4
    open_metrics,  // 1.0.0
};

/// Of a program; handed down to whoever counts. Safe from any thread. What is asked for twice is the same; a name that was used for
/// something else, or that is none (`cadre_tasks`, of a counter `…_total`), is a bug: Error(internal).
class Metrics {
public:
    Metrics();
    Metrics(const Metrics&) = delete;
    Metrics& operator=(const Metrics&) = delete;
    ~Metrics();

    using Labels = std::vector<std::string>;

    Labelled<Counter> counters(std::string_view name, std::string_view help, Labels labels);
    Labelled<Gauge> gauges(std::string_view name, std::string_view help, Labels labels);
    Labelled<Histogram> histograms(std::string_view name, std::string_view help, Labels labels,
                                   std::span<const double> bounds = kSecondsBounds);
    /// Without labels. They are there, at zero, from now on.
    Counter counter(std::string_view name, std::string_view help);
    Gauge gauge(std::string_view name, std::string_view help);
    Histogram histogram(std::string_view name, std::string_view help, std::span<const double> bounds = kSecondsBounds);

    /// All of it, by name.
    std::string text(MetricsForm form) const;
    static std::string_view content_type(MetricsForm form);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace cadre
