#include "testing/junit.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::testing;

TEST_CASE("results are XML whatever names and texts hold")
{
    CHECK(junit_text({}) == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                            "<testsuites tests=\"0\" failures=\"0\" errors=\"0\" time=\"0.000\">\n</testsuites>\n");
    const CaseResult results[] = {{.suite = "a&b",
                                   .file = "a.test.yaml",
                                   .at = {3, 5},
                                   .name = "<\"x\">",
                                   .took = Millis(1234),
                                   .differences = {{"answer", "\x01 \xff <b>\nc"}}},
                                  {.suite = "c", .file = "c.test.yaml", .at = {2, 5}, .name = "y"}};
    CHECK(junit_text(results) ==
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<testsuites tests=\"2\" failures=\"1\" errors=\"0\" time=\"1.234\">\n"
          "  <testsuite name=\"a&amp;b\" tests=\"1\" failures=\"1\" errors=\"0\" time=\"1.234\">\n"
          "    <testcase name=\"&lt;&quot;x&quot;&gt;\" classname=\"a&amp;b\" file=\"a.test.yaml\" line=\"3\" "
          "time=\"1.234\">\n"
          "      <failure message=\"answer\">answer:&#10;? ? &lt;b&gt;&#10;c&#10;</failure>\n"
          "    </testcase>\n"
          "  </testsuite>\n"
          "  <testsuite name=\"c\" tests=\"1\" failures=\"0\" errors=\"0\" time=\"0.000\">\n"
          "    <testcase name=\"y\" classname=\"c\" file=\"c.test.yaml\" line=\"2\" time=\"0.000\"/>\n"
          "  </testsuite>\n"
          "</testsuites>\n");
}
