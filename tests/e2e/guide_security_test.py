#!/usr/bin/env python3
"""The guide's page about security, typed by a reader whom nobody vouches for."""
import re
import unittest

from home import ROOT
from reader import Reader, blocks_of

PAGE = ROOT / "docs/guide/security.md"
# How each sentence of the page begins, and the tests that would fail if it were not so. None: advice, or what is not promised.
TRUST, HOSTILE, ATTACKS = "tests/e2e/trust_test.py", "tests/e2e/hostile_server_test.py", "tests/e2e/attacks_test.py"
UNIT, BOX = "src/home/project/trust_test.cpp", "src/tools/sandbox"
CANARIES = ("src/base/peer_text_test.cpp", "attacks 14 to 17: ten thousand canaries")
RULES = ("src/model/call_pattern_test.cpp", "attack 08: the guide's rule holds")
PROOFS = {
    "What Cadre protects you from": None,
    "Agents read what strangers wrote": None,
    "| Whose |": None,
    "| yours: the command line": [(TRUST, "test_what_init_makes_needs_no_trust")],
    "| a project that somebody else wrote": [(UNIT, "programs, servers and rules of a cloned project wait for trust")],
    "| an imported run": [(TRUST, "test_06_an_imported_conversation_does_not_go_on"), ("src/engine/provenance_test.cpp", "ten thousand foreign teams")],
    "| models, tools, web pages": [RULES, ("tests/e2e/tool_approvals_test.py", "test_the_first_list_with_a_pattern_for_the_call_counts")],
    "It can name addresses that your keys": None,
    "Nothing of that happens before": [(TRUST, "test_07_a_cloned_project_sends_no_key_elsewhere"), (TRUST, "test_check_names_what_is_wanted_and_servers_do_not_start"), (TRUST, "test_20_a_home_elsewhere_is_not_touched")],
    "On a terminal you are asked": [(TRUST, "test_a_person_at_a_terminal_is_asked_once"), (TRUST, "test_07_a_cloned_project_sends_no_key_elsewhere")],
    "`cadre check` names each": [(TRUST, "test_check_names_what_is_wanted_and_servers_do_not_start")],
    "What is trusted is what was shown": [(UNIT, "once, and again when they change")],
    "`CADRE_TRUST=1` or": [(UNIT, "CADRE_TRUST=1 and the program around vouch for a project"), (TRUST, "test_07_a_cloned_project_sends_no_key_elsewhere")],
    "A key goes over plain http": [(UNIT, "attack 07: over plain http no trust helps"), (TRUST, "test_07_nor_over_plain_http_to_another_machine")],
    "A key is sent to its provider": [(TRUST, "test_07_a_cloned_project_sends_no_key_elsewhere")],
    "Should a peer repeat it": [CANARIES, (TRUST, "test_16_a_provider_that_repeats_the_key_gets_it_nowhere"), ("src/mcp/canary_test.cpp", "attack 14: a secret that a server repeats"),
                                ("src/mcp/canary_test.cpp", "a secret in two content blocks")],
    "The same holds for variables": [(TRUST, "test_15_and_17_what_a_server_is_given_is_printed_nowhere")],
    "What you write into a prompt": None,
    "`shell`, `python` and whatever": [("tests/e2e/tool_approvals_test.py", "test_the_first_list_with_a_pattern_for_the_call_counts")],
    "The person sees the call": [("tests/e2e/approvals_shown_test.py", "test_all_arguments_are_shown_before_the_models_words_and_the_digest_with_them"), (TRUST, "test_23_what_cannot_be_seen_is_written_out")],
    "The printed command names": [(TRUST, "test_19_the_printed_command_answers_its_own_question_only")],
    "An empty answer is refused": [(TRUST, "test_18_an_empty_answer_is_not_consent")],
    "Rules hold for what is meant": [RULES, ("src/model/call_pattern_test.cpp", "ten thousand ways to write a forbidden path")],
    "A pattern looks at text": None,
    "`check` tells of rules": [("src/model/call_pattern_test.cpp", "patterns that can mean nothing are told"), ("tests/e2e/always_test.py", "test_a_rule_that_can_mean_nothing_is_an_error_with_its_place")],
    "`shell`, `python` and custom tools": [(f"{BOX}/run_sandboxed_test.cpp", "sandbox: the network is a grant"), (f"{BOX}/escape_test.cpp", "escape: reading what is not for it"),
                                           (f"{BOX}/program_tool_test.cpp", "attack 34: a program has one core"), (f"{BOX}/bomb_test.cpp", "bomb: memory, of one process and of many"),
                                           (f"{BOX}/bomb_test.cpp", "attack 35: of processes without end there are never more than 64"), (f"{BOX}/bomb_test.cpp", "bomb: nothing outlives the call")],
    "(Processes of root are not counted": [(f"{BOX}/bomb_test.cpp", "attack 35: of root too")],
    "At most twice as many run": [(f"{BOX}/program_places_test.cpp", "programs at once are bounded by the cores"), (f"{BOX}/program_places_test.cpp", "attack 29: ")],
    "`cadre doctor` says whether": [(f"{BOX}/run_sandboxed_test.cpp", "sandbox: without bubblewrap nothing runs, and it is said")],
    "MCP servers that are programs": None,
    "Trust them as you would": [(TRUST, "test_33_a_server_in_the_sandbox_sees_nothing_else_and_leaves_nothing_behind")],
    "In either case all that a server": [(HOSTILE, "test_what_a_server_has_started_ends_with_it"), (HOSTILE, "test_22_what_a_server_has_started_ends_when_we_are_killed"),
                                         ("src/net/process_test.cpp", "attack 22: what a kept one has started dies with us")],
    "It holds what people asked": None,
    "Only its owner may read it": [("src/storage/home_test.cpp", "the home folder is made when it is missing, for its user alone")],
    "A home that belongs to another user": [("src/storage/home_test.cpp", "attacks 20 and 21: ")],
    "One that was opened by accident": [("src/storage/home_test.cpp", "attacks 20 and 21: ")],
    "- Programs of yours": None,
    "(Other programs cannot read": [(ATTACKS, "test_24_no_other_program_of_the_user_can_read_the_memory")],
    "- What an agent says": None,
    "Give an agent what it needs": None,
    "- Prompt injection": None,
    "A page can make a model": None,
    "- A project that you trusted": None,
    "- A project that puts a variable": None,
    "Read a project before": None,
    "- A project that brings a home": None,
    "Give such a project another": None,
    "- Root on the same machine": None,
    "`cadre serve` [has its own page]": [("tests/e2e/serve_access_test.py", "test_credentials_in_the_wrong_place"), ("tests/e2e/guide_server_test.py", "server.md")],
    "Run it as a user": None,
}


def sentences():
    text = re.sub(r"```.*?```", "", PAGE.read_text(), flags=re.S)
    for part in re.split(r"\n\s*\n|\n(?=[-|#])", text):
        if part.strip() and not part.startswith(("#", "|--")):
            yield from re.split(r"(?<=[.?)])\s+(?=[A-Z`(])", " ".join(part.split()))


class Page(Reader):
    def test_every_sentence_has_its_tests_or_promises_nothing(self):
        unused = set(PROOFS)
        for sentence in sentences():
            begins = [begin for begin in PROOFS if sentence.startswith(begin)]
            self.assertEqual(len(begins), 1, f"no tests are named for: {sentence}")
            unused.discard(begins[0])
            for file, name in PROOFS[begins[0]] or ():
                self.assertIn(name, (ROOT / file).read_text(), sentence)
        self.assertEqual(unused, set())

    def test_what_it_types_works(self):
        del self.env["CADRE_TRUST"]
        place = self.folder / "reader"
        place.mkdir()
        said = [self.type(block, place) for block in blocks_of(PAGE)]
        self.assertIn("note: it starts mcp-server-filesystem . (MCP server files), and you have not trusted it with that", said[0])
        self.assertIn("wants this:\n  - starts mcp-server-filesystem . (MCP server files)", said[0])
        self.assertIn("trusted; what it comes to want later is asked about again", said[0])
        self.assertIn("is not trusted any more", said[0])
        self.assertEqual(said[1], "")
        self.assertIn("bubblewrap", said[2])


if __name__ == "__main__":
    unittest.main()
