#include "config/interpolate.hpp"

#include "base/json.hpp"
#include "config/settings.hpp"
#include "model/describe.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>
#include <fmt/core.h>

using namespace cadre;
using namespace cadre::config;

namespace {

Environment environment(std::map<std::string, std::string> values)
{
    return [values](const std::string& name) -> std::optional<std::string> {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    };
}

/// The value of `a`, or what is wrong.
std::string replaced(const std::string& text)
{
    Findings findings;
    Variables variables(environment({{"KEY", "sk-1"}, {"N", "7"}, {"TRICK", "${KEY}"}}));
    auto document = load("a.yaml", "a: " + text + "\n", findings);
    interpolate(*document, variables, findings);
    return findings.empty() ? to_text(document->value.at("a")) : findings.text();
}

}  // namespace

TEST_CASE("references are replaced by variables, which stay text")
{
    struct {
        const char* text;
        const char* gives;
    } const cases[] = {
        {"${KEY}", "\"sk-1\""},
        {"${N}", "\"7\""},
        {"Bearer ${KEY}!", "\"Bearer sk-1!\""},
        {"${NONE:-x y}", "\"x y\""},
        {"${NONE:-}", "\"\""},
        {"${KEY:-other}", "\"sk-1\""},
        {"'${N}${N}'", "\"77\""},
        {"$${KEY}", "\"${KEY}\""},
        {"$$${KEY}", "\"$${KEY}\""},
        {"$5 and $KEY", "\"$5 and $KEY\""},
        {"${TRICK}", "\"${KEY}\""},
        {"[x, {y: '${N}'}]", "[\"x\",{\"y\":\"7\"}]"},
        {"${NONE}", "a.yaml:1:4: the variable NONE is not set; set it in the environment or in .env, or write a "
                    "default: ${NONE:-…}"},
        {"${X_BASE_URL}", "a.yaml:1:4: the variable X_BASE_URL is not set; set it in the environment, or write a "
                          "default: ${X_BASE_URL:-…}"},
        {"${}", "a.yaml:1:4: \"${}\" is not a reference like ${NAME} or ${NAME:-default}; write $${ for the characters "
                "themselves"},
        {"'${KEY'", "a.yaml:1:4: \"${KEY\" is not a reference like ${NAME} or ${NAME:-default}; write $${ for the "
                    "characters themselves"},
    };
    for (const auto& c : cases) {
        CAPTURE(c.text);
        CHECK(replaced(c.text) == c.gives);
    }
}

TEST_CASE("a text that is one reference becomes a number where the field wants one, and only there")
{
    Findings findings;
    Variables variables(environment({{"N", "7"}, {"NAME", "7"}}));
    auto document = load("cadre.yaml", "name: ${NAME}\nbudget: {max_steps: '${N}', max_tokens: '1${N}'}\n", findings);
    interpolate(*document, variables, findings);
    convert_references(document->value, document->root, describe(static_cast<const Settings*>(nullptr)));
    CHECK(to_text(document->value) == R"({"name":"7","budget":{"max_steps":7,"max_tokens":"17"}})");
}

TEST_CASE("what is written literally is what is left without references")
{
    CHECK(without_references("Bearer ${KEY}") == "Bearer ");
    CHECK(without_references("${KEY:-sk-secret}") == "");
    CHECK(without_references("$${KEY}") == "${KEY}");
}

TEST_CASE(".env: the real environment wins, and little may be set")
{
    Findings findings;
    Variables variables(environment({{"REAL", "real"}}));
    variables.add_dotenv(".env",
                         "# keys\nOPENAI_API_KEY=sk-1\nexport REAL=dotenv\nMINE = 'a # b'   # comment\n"
                         "TEXT=\"x\\ny\"\nBARE=a#b # c\nEMPTY=\n",
                         findings);
    CHECK(findings.text() == "");
    CHECK(variables.refer("REAL") == "real");
    CHECK(variables.find("OPENAI_API_KEY") == "sk-1");
    CHECK_FALSE(variables.find("MINE"));  // nothing refers to it
    CHECK(variables.refer("MINE") == "a # b");
    CHECK(variables.find("MINE") == "a # b");
    CHECK(variables.refer("TEXT") == "x\ny");
    CHECK(variables.refer("BARE") == "a#b");
    CHECK_FALSE(variables.refer("EMPTY"));
}

TEST_CASE(".env: names that would change more than the project are refused with a warning")
{
    for (const char* name :
         {"CADRE_HOME", "HTTPS_PROXY", "http_proxy", "SSL_CERT_FILE", "OPENAI_BASE_URL", "OPENAI_API_BASE",
          "OPENAI_API_URL", "OLLAMA_HOST", "PATH", "PYTHONPATH", "LD_PRELOAD", "OPENSSL_CONF", "SSLKEYLOGFILE",
          "PGSSLROOTCERT", "NODE_TLS_REJECT_UNAUTHORIZED", "NODE_OPTIONS", "GIT_SSH_COMMAND"}) {
        CAPTURE(name);
        Findings findings;
        Variables variables(environment({}));
        variables.add_dotenv(".env", fmt::format("A=1\n{}=x\n", name), findings);
        CHECK(findings.errors() == 0);
        CHECK(findings.text() ==
              fmt::format(".env:2:1: warning: {} is not read from .env, because it would change more "
                          "than this project; set it in the environment instead",
                          name));
        CHECK_FALSE(variables.refer(name));
    }
}

TEST_CASE(".env: what cannot be read and what looks like a slip is said with its line")
{
    Findings findings;
    Variables variables(environment({}));
    variables.add_dotenv(".env", "no equals sign\n 1A=2\nA=\"open\nA=1\nA=2\nOPENAI_API_KY=x\nUNRELATED_THING=1\n",
                         findings);
    variables.warn_of_slips(findings);
    findings.sort();
    CHECK(findings.text() == ".env:1:1: must be NAME=value, with letters, digits and _ in the name\n"
                             ".env:2:2: must be NAME=value, with letters, digits and _ in the name\n"
                             ".env:3:3: the quote is not closed, or text follows it\n"
                             ".env:5:1: A is already there on line 4; remove one of them\n"
                             ".env:6:1: warning: nothing uses \"OPENAI_API_KY\", did you mean \"OPENAI_API_KEY\"?");
}

TEST_CASE(".env: the column of a line without a name is where the name should be")
{
    Findings findings;
    Variables variables(environment({}));
    variables.add_dotenv(".env", "=x\n  =x\nexport =x\n", findings);
    const std::string says = " must be NAME=value, with letters, digits and _ in the name";
    CHECK(findings.text() == ".env:1:1:" + says + "\n.env:2:3:" + says + "\n.env:3:8:" + says);
}

TEST_CASE("a variable that is set to nothing gives nothing with a warning, or the default")
{
    Findings findings;
    Variables variables(environment({}), {"EMPTY"});
    variables.add_dotenv(".env", "LINE=\n", findings);
    auto document = load("a.yaml", "a: ${EMPTY}\nb: x${LINE}\nc: ${EMPTY:-d}\n", findings);
    interpolate(*document, variables, findings);
    CHECK(to_text(document->value) == R"({"a":"","b":"x","c":"d"})");
    CHECK(findings.errors() == 0);
    CHECK(findings.text() == "a.yaml:1:4: warning: the variable EMPTY is set but empty; give it a value, or write a "
                             "default: ${EMPTY:-…}\n"
                             "a.yaml:2:4: warning: the variable LINE is set but empty; give it a value, or write a "
                             "default: ${LINE:-…}");
}

TEST_CASE("settings in the environment are checked, and names that are nearly one")
{
    Findings findings;
    const std::vector<std::string> names{"CADRE_BUGET_MAX_STEPS", "CADRE_PROGRAM", "CADRE_HOME",
                                         "CADRE_LOG_LEVEL",       "CADRE_ZZZ",     "BUGET"};
    check_environment(environment({{"CADRE_LOG_LEVEL", "loud"}, {"CADRE_BUDGET_MAX_STEPS", "0"}}), names, findings);
    CHECK(findings.text() ==
          "environment: CADRE_LOG_LEVEL \"loud\" is none of debug, info, warning, error\n"
          "environment: CADRE_BUDGET_MAX_STEPS must be at least 1, is 0\n"
          "environment: warning: CADRE_BUGET_MAX_STEPS is not a setting, did you mean \"CADRE_BUDGET_MAX_STEPS\"?");
}

TEST_CASE("settings come from the file, then the environment, then flags")
{
    Findings findings;
    const auto file =
        load("cadre.yaml", "model: openai/file\nteam: x\nbudget: {max_steps: 1, max_tokens: 1}\n", findings);
    const Environment env =
        environment({{"CADRE_MODEL", "openai/env"}, {"CADRE_BUDGET_MAX_STEPS", "2"}, {"CADRE_NAME", "7"}});
    const Override flags[] = {{"budget.max_steps", "3"}};
    const Settings settings = read_settings(&*file, env, flags, findings);
    CHECK(findings.text() == "");
    CHECK(settings.model == "openai/env");
    CHECK(settings.team == "x");
    CHECK(settings.name == "7");  // text, because a name is
    CHECK(settings.budget.max_steps == 3);
    CHECK(settings.budget.max_tokens == 1);
    CHECK(settings.budget.max_hours == 24);
}

TEST_CASE("a wrong setting is reported where it was made")
{
    Findings findings;
    const auto file = load("cadre.yaml", "modle: a/b\nbudget: {max_steps: 0}\n", findings);
    const Environment env = environment({{"CADRE_BUDGET_MAX_TOKENS", "many"}});
    const Override flags[] = {{"budget.max_step", "3"}, {"log_level", "loud"}};
    CHECK(read_settings(&*file, env, flags, findings) == Settings{});
    CHECK(findings.text() == "cadre.yaml:1:1: modle: is not a field of project, did you mean \"model\"?\n"
                             "cadre.yaml:2:21: budget.max_steps: must be at least 1, is 0\n"
                             "environment: CADRE_BUDGET_MAX_TOKENS must be a whole number, is text\n"
                             "flags: \"budget.max_step\" is not a setting, did you mean \"budget.max_steps\"?\n"
                             "flags: log_level \"loud\" is none of debug, info, warning, error");
}
