// What does it cost to check the arguments of a tool call against the tool's schema? Beside it: what parsing them costs.
#include "base/json.hpp"
#include "repeat.hpp"
#include "schema/schema.hpp"

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <memory>
#include <vector>

using namespace cadre;

namespace {

constexpr std::string_view kSchema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "create_order",
  "description": "Creates an order for a customer, with its lines, address and options.",
  "type": "object",
  "properties": {
    "customer_id": {"type": "string", "pattern": "^cus_[a-z0-9]{12}$", "description": "The customer, as found by find_customer."},
    "currency": {"type": "string", "enum": ["EUR", "USD", "GBP", "CHF", "JPY"]},
    "priority": {"type": "integer", "minimum": 0, "maximum": 9, "default": 5},
    "note": {"type": ["string", "null"], "maxLength": 500},
    "lines": {
      "type": "array", "minItems": 1, "maxItems": 50,
      "items": {
        "type": "object",
        "properties": {
          "sku": {"type": "string", "minLength": 3, "maxLength": 32, "description": "Stock keeping unit."},
          "quantity": {"type": "integer", "minimum": 1},
          "unit_price": {"type": "number", "minimum": 0, "multipleOf": 0.01},
          "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}
        },
        "required": ["sku", "quantity"],
        "additionalProperties": false
      }
    },
    "shipping": {"$ref": "#/$defs/address"},
    "billing": {"anyOf": [{"$ref": "#/$defs/address"}, {"const": "same"}]},
    "payment": {
      "oneOf": [
        {"type": "object", "properties": {"kind": {"const": "card"}, "token": {"type": "string"}}, "required": ["kind", "token"]},
        {"type": "object", "properties": {"kind": {"const": "invoice"}, "days": {"type": "integer"}}, "required": ["kind", "days"]}
      ]
    }
  },
  "required": ["customer_id", "currency", "lines", "shipping", "payment"],
  "additionalProperties": false,
  "$defs": {
    "address": {
      "type": "object",
      "description": "A postal address.",
      "properties": {
        "name": {"type": "string", "maxLength": 100},
        "street": {"type": "string", "maxLength": 100},
        "city": {"type": "string", "maxLength": 60},
        "postcode": {"type": "string", "maxLength": 12},
        "country": {"type": "string", "minLength": 2, "maxLength": 2}
      },
      "required": ["name", "street", "city", "country"]
    }
  }
})";

constexpr std::string_view kCall = R"({
  "customer_id": "cus_9f8e7d6c5b4a",
  "currency": "EUR",
  "priority": 3,
  "note": "Please leave the parcel with the neighbours on the second floor if nobody answers the door; they know about it.",
  "lines": [
    {"sku": "KB-0042-DE", "quantity": 2, "unit_price": 79.9, "tags": ["keyboard", "german", "mechanical"]},
    {"sku": "MS-0007", "quantity": 1, "unit_price": 24.95, "tags": ["mouse"]},
    {"sku": "CB-USB-C-2M", "quantity": 5, "unit_price": 7.49},
    {"sku": "MO-27-4K-IPS", "quantity": 1, "unit_price": 389.0, "tags": ["monitor", "4k"]},
    {"sku": "ST-DESK-160", "quantity": 1, "unit_price": 549.5, "tags": ["desk"]},
    {"sku": "LA-LED-2", "quantity": 2, "unit_price": 31.0}
  ],
  "shipping": {"name": "Zo\u00eb Schr\u00f6der", "street": "Lange Stra\u00dfe 12a", "city": "G\u00f6ttingen", "postcode": "37073", "country": "DE"},
  "billing": {"name": "Schr\u00f6der Datentechnik GmbH", "street": "Am Alten Hafen 7", "city": "Hamburg", "postcode": "20457", "country": "DE"},
  "payment": {"kind": "invoice", "days": 30}
})";

void parse_with_boost(benchmark::State& state)
{
    for (auto _ : state) benchmark::DoNotOptimize(json::parse(kCall));
    state.counters["bytes"] = static_cast<double>(kCall.size());
}
BENCHMARK(parse_with_boost);

void parse_with_limits(benchmark::State& state)
{
    for (auto _ : state) benchmark::DoNotOptimize(parse_json(kCall));
}
BENCHMARK(parse_with_limits);

void validate_call(benchmark::State& state)
{
    const auto schema = schema::Schema::compile(parse_json(kSchema));
    const json::value call = parse_json(kCall);
    if (!schema.validate(call).empty()) state.SkipWithError("the call must be valid");
    for (auto _ : state) benchmark::DoNotOptimize(schema.validate(call));
}
BENCHMARK(validate_call);

void explain_wrong_call(benchmark::State& state)
{
    const auto schema = schema::Schema::compile(parse_json(kSchema));
    json::value call = parse_json(kCall);
    call.at("lines").at(3).as_object()["quantity"] = "one";
    call.as_object().erase("currency");
    if (schema.validate(call).size() != 2) state.SkipWithError("the call must break two rules");
    for (auto _ : state) benchmark::DoNotOptimize(schema.validate(call));
}
BENCHMARK(explain_wrong_call);

void compile_schema(benchmark::State& state)
{
    const json::value text = parse_json(kSchema);
    for (auto _ : state) benchmark::DoNotOptimize(schema::Schema::compile(text));
    state.counters["bytes"] = static_cast<double>(kSchema.size());
}
BENCHMARK(compile_schema);

std::vector<bench::Piece> pieces()
{
    return {{"validate_call",
             [] {
                 return [schema = std::make_shared<schema::Schema>(schema::Schema::compile(parse_json(kSchema))),
                         call = parse_json(kCall)] { benchmark::DoNotOptimize(schema->validate(call)); };
             }},
            {"compile_schema",
             [] { return [text = parse_json(kSchema)] { benchmark::DoNotOptimize(schema::Schema::compile(text)); }; }}};
}

}  // namespace

int main(int argc, char** argv)
{
    if (const auto code = bench::repeat(pieces(), argc, argv)) return *code;
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
