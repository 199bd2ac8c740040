// main() of every test program, and the ledger: one line for each case in $CADRE_RESULTS/<program>.tsv, which ./test
// counts and scripts/requirements joins with the marks in the sources.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "support/skip.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <errno.h>
#include <string>

namespace {

std::string skip_reason;

std::string one_line(std::string text)
{
    for (char& c : text)
        if (c == '\t' || c == '\n') c = ' ';
    return text;
}

struct Ledger : doctest::IReporter {
    explicit Ledger(const doctest::ContextOptions&)
    {
        const char* folder = std::getenv("CADRE_RESULTS");
        if (!folder) return;
        file_ = std::fopen((std::string(folder) + "/" + program_invocation_short_name + ".tsv").c_str(), "w");
        write("# started\n");
    }
    ~Ledger() override
    {
        if (file_) std::fclose(file_);
    }

    void test_case_start(const doctest::TestCaseData& data) override
    {
        current_ = &data;
        skip_reason.clear();
        write("# case " + one_line(data.m_name) + '\n');  // names the case that a crash or hang is in
    }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override
    {
        if (!current_) return;
        std::string problem = decorated(*current_);
        if (stats.testCaseSuccess && stats.numAssertsCurrentTest == 0 && skip_reason.empty())
            problem = "made no assertion. Fix: CHECK what must be true; or return test::skip(reason)";
        if (!problem.empty()) std::printf("%s: %s\n", current_->m_name, problem.c_str());
        if (!stats.testCaseSuccess || !problem.empty()) write_case("failed", *current_, problem, stats.seconds);
        else write_case(skip_reason.empty() ? "passed" : "skipped", *current_, skip_reason, stats.seconds);
    }
    void test_case_skipped(const doctest::TestCaseData& data) override
    {
        if (data.m_skip) write_case("failed", data, decorated(data), 0);  // otherwise the pattern does not fit
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override
    {
        write("# ended\n");  // a program that leaves early must not look as if it had finished
    }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}

private:
    /// What is wrong with a case that a decorator keeps from failing.
    static std::string decorated(const doctest::TestCaseData& data)
    {
        if (!data.m_skip && !data.m_may_fail && !data.m_should_fail && data.m_expected_failures == 0) return {};
        return "a decorator keeps it from failing. Fix: remove it; what cannot run here returns test::skip(reason)";
    }
    void write_case(const char* status, const doctest::TestCaseData& data, const std::string& reason, double seconds)
    {
        write(std::string(status) + '\t' + place(data) + '\t' + one_line(data.m_name) + '\t' + one_line(reason) + '\t' +
              std::to_string(seconds) + '\n');
    }
    static std::string place(const doctest::TestCaseData& data)
    {
        return std::string(data.m_file.c_str()) + ':' + std::to_string(data.m_line);
    }
    void write(const std::string& line)
    {
        if (!file_) return;
        std::fputs(line.c_str(), file_);
        std::fflush(file_);  // a crash in the next case must not take this line with it
    }

    std::FILE* file_ = nullptr;
    const doctest::TestCaseData* current_ = nullptr;
};

REGISTER_LISTENER("ledger", 1, Ledger);

}  // namespace

void cadre::test::skip(const std::string& reason)
{
    skip_reason = reason.empty() ? "no reason given" : reason;
}
