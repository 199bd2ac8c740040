// A file of tests beside a team, an agent or a workflow: what is run, what plays the model and the people, and what is expected.
#pragma once

#include "model/task.hpp"
#include "model/type.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cadre::model {

struct Entity;

/// What a text should be: all that is given must hold.
struct TextMatch {
    std::optional<std::string> equals{};
    boost::json::value contains{};  // null, a text, or a list of texts
    std::optional<std::string> matches{};
    std::optional<boost::json::object> schema{};

    bool operator==(const TextMatch&) const = default;
};
const Entity& describe(const TextMatch*);

enum class TestVerb : std::uint8_t { approve, reject, modify };
std::span<const EnumName> names_of(const TestVerb*);

/// What a person answers when asked.
struct TestAnswer {
    std::optional<std::string> question{};
    std::optional<TestVerb> verb{};
    std::optional<std::string> answer{};
    std::optional<boost::json::object> arguments{};
    std::optional<boost::json::object> state{};  // of a workflow

    bool operator==(const TestAnswer&) const = default;
};
const Entity& describe(const TestAnswer*);

/// What a tool answers instead of being called.
struct TestTool {
    std::string name{};
    boost::json::object args{};
    boost::json::value result{};
    std::optional<std::string> error{};

    bool operator==(const TestTool&) const = default;
};
const Entity& describe(const TestTool*);

struct TestFault {
    std::optional<std::string> tool{};
    std::optional<std::string> error{};
    std::optional<int> status{};
    std::optional<std::string> agent{};
    std::optional<int> nth{};
    std::optional<int> restart{};
    int times = 1;

    bool operator==(const TestFault&) const = default;
};
const Entity& describe(const TestFault*);

struct TestCall {
    std::string tool{};
    boost::json::object args{};
    std::optional<std::string> agent{};
    std::optional<TextMatch> result{};
    std::optional<bool> failed{};

    bool operator==(const TestCall&) const = default;
};
const Entity& describe(const TestCall*);

enum class TestOrder : std::uint8_t { exact, any, among };
std::span<const EnumName> names_of(const TestOrder*);

struct TestExpectation {
    TaskStatus status = TaskStatus::completed;
    std::optional<TextMatch> answer{};
    std::optional<TextMatch> error{};
    std::optional<std::vector<TestCall>> calls{};
    TestOrder order = TestOrder::exact;
    std::vector<std::string> events{};
    Dict<TextMatch> files{};
    boost::json::object state{};  // fields of a workflow's at the end
    std::optional<double> max_cost{};
    std::optional<std::int64_t> max_tokens{};
    std::optional<int> max_steps{};
    std::optional<int> max_calls{};

    bool operator==(const TestExpectation&) const = default;
};
const Entity& describe(const TestExpectation*);

struct TestCase {
    std::string name{};
    std::optional<std::string> run{};
    std::optional<std::string> agent{};
    std::optional<std::string> pattern{};
    std::string input{};
    boost::json::object inputs{};  // what a workflow's state begins with
    std::optional<std::string> model{};
    std::optional<std::vector<boost::json::object>> script{};  // entries of a script, see llm/script_entry.hpp
    std::optional<ExecutionMode> mode{};
    std::optional<std::string> budget{};
    std::vector<TestAnswer> answers{};
    std::vector<TestTool> tools{};
    std::vector<TestFault> faults{};
    double timeout = 60;  // seconds
    TestExpectation expect{};

    bool operator==(const TestCase&) const = default;
};
const Entity& describe(const TestCase*);

struct TestFile {
    std::optional<std::string> test{};
    std::vector<TestCase> cases{};

    bool operator==(const TestFile&) const = default;
};
const Entity& describe(const TestFile*);

/// For the catalogue.
std::vector<const Entity*> test_entities();

}  // namespace cadre::model
