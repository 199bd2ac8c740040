#include "tools/sandbox/landlock.hpp"

#include "support/skip.hpp"
#include "tools/sandbox/support.hpp"
#include "tools/sandbox/test_box.hpp"

#include <doctest/doctest.h>

using namespace cadre;
using namespace cadre::tools;

TEST_CASE("landlock: what is forbidden grows with what the kernel knows, and is nothing it does not know")
{
    struct {
        long abi;
        bool network;
        landlock::Ruleset rules;
    } const cases[] = {
        {-38, false, {}},
        {0, false, {}},
        {1, false, {}},
        {2, false, {0x3fff, 0, 0}},
        {3, false, {0x7fff, 0, 0}},
        {4, false, {0x7fff, 3, 0}},
        {4, true, {0x7fff, 0, 0}},
        {5, false, {0xffff, 3, 0}},
        {6, false, {0xffff, 3, 3}},
        {6, true, {0xffff, 0, 3}},
        {99, false, {0xffff, 3, 3}},
    };
    for (const auto& c : cases) {
        CAPTURE(c.abi);
        CHECK(landlock::ruleset(c.abi, c.network) == c.rules);
    }
    CHECK((landlock::kWritable & landlock::make_block) == 0);
    CHECK((landlock::kEverywhere & landlock::write_file) == 0);
}

TEST_CASE("landlock: is there in the sandbox, once more than the mounts and the namespaces")
{
    if (const std::string why = why_no_sandbox(); !why.empty()) return test::skip(why);
    const long abi = landlock_abi();
    if (abi < landlock::kFirstAbi)
        return test::skip("the kernel has Landlock of ABI " + std::to_string(abi) + ", it takes 2");
    TestBox box;
    // no mount forbids this, only a rule does
    CHECK(box.sh("echo name > /proc/self/comm").errors.find("Permission denied") != std::string::npos);
    CHECK(box.sh("echo x > /tmp/a; mkdir -p /tmp/b sub; mv /tmp/a /tmp/b; echo 1 > f; mv f sub; cat /tmp/b/a sub/f; "
                 "echo y > /dev/null; echo z > /dev/stderr; ./no 2>/dev/null; printf 'echo ran' > s; chmod +x s; ./s")
              .output == "x\n1\nran\n");
    if (abi < landlock::kTcpAbi) return test::skip("the kernel's Landlock knows no TCP: ABI " + std::to_string(abi));
    const char* talk = "import socket\ns = socket.socket()\ntry: s.bind(('127.0.0.1', 0)); print('bound')\n"
                       "except OSError as e: print(e.strerror)";
    CHECK(box.python(talk).output == "Permission denied\n");
    box.policy.network = true;
    CHECK(box.python(talk).output == "bound\n");
}
