// Spans for a collector of OpenTelemetry: OTLP over HTTP, as JSON. What the collector does not take in time is dropped and counted; nothing
// here ever waits for it.
#pragma once

#include "base/async_fwd.hpp"
#include "base/async_scope.hpp"
#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/signal.hpp"
#include "base/time.hpp"
#include "net/http.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace cadre::net {
class Loop;
}

namespace cadre::server {

struct OtlpSpan {
    /// As OTLP numbers them.
    enum class Kind : std::uint8_t { internal = 1, server = 2, client = 3 };
    using Value = std::variant<std::string, std::int64_t>;

    std::string trace{};   // 32 hex digits
    std::string id{};      // 16
    std::string parent{};  // 16; empty: none
    std::string name{};
    Kind kind = Kind::internal;
    Time begin{};
    Time end{};
    std::string error{};  // why it failed; empty: it did not
    std::vector<std::pair<std::string, Value>> attributes{};
};

/// A request to a collector. `version` is ours.
std::string otlp_text(std::span<const OtlpSpan> spans, std::string_view version);

/// `name=value,name=value` with what is not plain escaped, as OTEL_EXPORTER_OTLP_HEADERS has it.
net::HttpHeaders otlp_headers(std::string_view text);

struct OtlpOptions {
    std::string url{};           // of the collector, up to and with /v1/traces
    net::HttpHeaders headers{};  // with each request
    std::string version{};       // of this program
    std::size_t queue = 8192;
    std::size_t batch = 512;
    Millis pause{1'000};  // between two requests, so that spans gather
    int attempts = 3;
};

/// Lives on its loop; `http` outlives it. finish() before it dies.
class OtlpExporter {
public:
    OtlpExporter(net::Loop& loop, net::Http& http, OtlpOptions options, Metrics& metrics, Log log);
    OtlpExporter(const OtlpExporter&) = delete;
    OtlpExporter& operator=(const OtlpExporter&) = delete;

    /// Takes it along, or drops it where too many wait.
    void add(OtlpSpan span);
    /// Sends what is left, for so long.
    Async<> finish(Millis grace);
    /// Why the last request failed; empty: it did not.
    const std::string& trouble() const { return trouble_; }

private:
    Async<> run();
    Async<bool> send(std::string body);
    Async<> send_batch();

    net::Http& http_;
    OtlpOptions options_;
    Labelled<Counter> counts_;
    Log log_;
    std::deque<OtlpSpan> waiting_;
    std::string trouble_;
    bool sending_ = false;  // what was taken from those that wait
    bool finishing_ = false;
    Signal changed_;
    Signal idle_;
    AsyncScope scope_;  // last: what it spawned uses all of the above
};

}  // namespace cadre::server
