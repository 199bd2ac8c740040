#include "base/json.hpp"
#include "config/document.hpp"
#include "config/finding.hpp"
#include "config/read_into.hpp"
#include "model/views/framework_retention.hpp"
#include "model/write.hpp"
#include "model/yaml_example.hpp"
#include "support/golden.hpp"

#include <boost/json.hpp>
#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::config;
namespace framework = cadre::model::framework;

TEST_CASE("000: the document's retention policy is read as YAML and written back to the letter")  // UNI-12 U
{
    const std::string text = test::golden("model/000_retention_policy.yaml");
    Findings findings;
    auto document = load("retention_policy.yaml", text, findings);
    REQUIRE(document);
    framework::RetentionPolicy policy{.default_days = 1};
    CHECK(read_into(document->value, *document, &policy, describe(&policy), findings));
    CHECK(findings.list().empty());
    CHECK(policy == framework::standard_retention());
    CHECK(model::yaml_example(parse_json(model::to_json_text(policy))) == text);
}
