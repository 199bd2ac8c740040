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
        if (file_) write("# started\n");
    }
    ~Ledger() override
    {
        if (file_) std::fclose(file_);
    }

    void test_case_start(const doctest::TestCaseData& data) override
    {
        current_ = &data;
        skip_reason.clear();
        if (file_) write("# case " + one_line(data.m_name) + '\n');  // names the case that a crash or hang is in
    }
    void test_case_end(const doctest::CurrentTestCaseStats& stats) override
    {
        if (!file_ || !current_) return;
        const char* status = !stats.testCaseSuccess ? "failed" : skip_reason.empty() ? "passed" : "skipped";
        write(std::string(status) + '\t' + place(*current_) + '\t' + one_line(current_->m_name) + '\t' +
              one_line(skip_reason) + '\n');
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_start() override {}
    void test_run_end(const doctest::TestRunStats&) override
    {
        if (file_) write("# ended\n");  // a program that leaves early must not look as if it had finished
    }
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

private:
    static std::string place(const doctest::TestCaseData& data)
    {
        return std::string(data.m_file.c_str()) + ':' + std::to_string(data.m_line);
    }
    void write(const std::string& line)
    {
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
