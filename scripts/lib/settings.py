"""Is every setting that a person may write read by the program? Taken from the reference, which is made of the descriptions.

A field counts as read where code outside the rooms that only hold, check and write settings says `thing.field`, and `thing` is a
name that such code has for the entity. Without a compiler that is as exact as it gets, so names are listed, not guessed.
"""
import re

from . import cpp, tree

PAGES = "docs/reference/entities/"
TABLE = "src/model/not_in_effect.cpp"
HOLDERS = ("src/model/", "src/config/", "src/schema/")  # they would read a field that nothing heeds, too
UNUSED = re.compile(r"_test\.cpp$|_fixture\.hpp$|/test_\w+\.hpp$|^src/cli/graph/")  # what is drawn is not yet done
ROW = re.compile(r"^\| `([^`]+)` \| (.*?) \| (.*?) \| (.*) \|$", re.M)
PART = re.compile(r"\]\((\w+)\.md\)")
IGNORED = "Not in effect yet"
USE = re.compile(r"(?<!\w)([A-Za-z_]\w*)(?=(?:\(\)|\[\w*\])?\)?\s*(?:\.|->)\s*([a-z]\w*)\b(?!\s*=[^=]|\.reset\(|\.clear\(|\())")

# What code calls an entity, besides its own name, its name's last word and the fields that it stands in.
NAMES = {
    "budget": ["settings"],
    "channel_specification": ["channel"],
    "jwt": ["settings", "settings_"],
    "rate": ["wanted", "setting", "one", "given"],
    "server": ["settings", "settings_"],
    "execution_config": ["execution", "config"],
    "formatting_preferences": ["wants"],
    "llm_config": ["llm"],
    "mcp_servers": ["contents", "contents_"],
    "node_def": ["def"],
    "project": ["settings", "settings_"],
    "provider": ["vendor"],
    "provider_model": ["facts", "others"],
    "providers": ["own", "at_home"],
    "reflection_def": ["reflection"],
    "style_guide": ["style"],
    "test": ["tests"],
    "test_call": ["expected"],
    "test_case": ["test", "test_"],
    "test_expectation": ["expect", "expect_"],
    "test_tool": ["one"],
    "tool": ["pinned", "pinned_"],
    "workflow": ["graph", "graph_"],
}

# Fields that are read in another way: where, and the text that does it, which must stand there.
CONVERT, DESKTOP, RULES = "src/model/views/framework_convert.cpp", "src/config/mcp_servers.cpp", "src/model/call_pattern.cpp"
RETENTION = "src/model/views/framework_retention.cpp"
CONTENTS, AGGREGATE, ROUTING = "src/config/contents.cpp", "src/model/views/aggregate.cpp", "src/model/views/orchestration_options.cpp"
READ = {
    "node_def.pattern": ("src/patterns/graph/team_node.cpp", "visit.def().pattern"),
    "channels.channels": ("src/home/project/prepare_message.cpp", "specification_of(settings_of"),
    "domains.domains": (CONTENTS, 'find_meant(object, "domains")'),
    "domains.ask": (CONTENTS, 'object.if_contains("ask")'),
    "orchestration_options.Dispatch": ("src/patterns/route/dispatch.cpp", "settings.orchestration.dispatch"),
    "orchestration_options.TaskContextTTL": (ROUTING, "double, std::ratio<3600>>(options.task_context_ttl)"),
    "result_aggregator_options.DefaultFallbackMessage": (AGGREGATE, "options.default_fallback_message"),
    "result_aggregator_options.PartialFailureTemplate": (AGGREGATE, "options.partial_failure_template"),
    "result_aggregator_options.EnableNaturalLanguageJoining": (AGGREGATE, "options.enable_natural_language_joining"),
    "router_executor_options.ClarificationAgentId": (ROUTING, "options.clarification_agent_id.value_or"),
    "router_executor_options.FallbackAgentId": (ROUTING, "options.fallback_agent_id.value_or"),
    "desktop_http_server.url": (DESKTOP, 'picked(given, {"url", "headers"})'),
    "desktop_http_server.serverUrl": (DESKTOP, 'given.if_contains("serverUrl")'),
    "desktop_http_server.headers": (DESKTOP, 'picked(given, {"url", "headers"})'),
    "desktop_stdio_server.command": (DESKTOP, 'picked(given, {"command", "args", "env"})'),
    "desktop_stdio_server.args": (DESKTOP, 'picked(given, {"command", "args", "env"})'),
    "desktop_stdio_server.env": (DESKTOP, 'picked(given, {"command", "args", "env"})'),
    **{f"desktop_{kind}_server.{field}": (DESKTOP, f"given.{field}")
       for kind in ("http", "stdio") for field in ("type", "transport", "disabled", "ext")},
    "framework_agent.system_prompt": (CONVERT, 'fields["prompt"] = agent.system_prompt'),
    "framework_agent.ext": (CONVERT, "json::object fields = agent.ext"),
    "framework_llm_config.endpoint": (CONVERT, 'llm["base_url"] = agent.llm_config.endpoint'),
    "framework_tool.timeout_seconds": (CONVERT, 'fields["timeout"] = tool.timeout_seconds'),
    "framework_tool.fallback_tools": (CONVERT, 'fields["fallback_tools"] = json::value_from(tool.fallback_tools)'),
    "framework_tool.ext": (CONVERT, "json::object fields = tool.ext"),
    "llm_config.retry_policy": ("src/engine/think.cpp", "retry_from(agent.models.front().retry_policy"),
    "mcp_servers.tools": (DESKTOP, "if (tools) tool_list(*tools);"),
    "permissions.deny": (RULES, "any_means(rules.deny"),
    "permissions.allow": (RULES, "any_means(rules.allow"),
    "permissions.ask": (RULES, "any_means(rules.ask"),
    "operator_policies.policies": ("src/home/project/guardrails.cpp", "read.value.policies"),
    "project.sandbox": ("src/home/project/project.cpp", "read_settings(nullptr, place.environment, {}, findings).sandbox"),
    "project.version": ("src/config/settings.cpp", "settings.version.starts_with"),
    "retention_policy.default_days": (RETENTION, "return policy.default_days;"),
    "retention_policy.by_task": (RETENTION, "policy.by_task.find(task.kind)"),
    "retention_policy.by_status": (RETENTION, "policy.by_status.find(wire_name(task.status))"),
}

# Fields that need no reader, and why.
NEEDS_NONE = {
    **{f"{kind}.name": "its page says that it is not used: the name before it counts"
       for kind in ("desktop_http_server", "desktop_stdio_server", "named_mcp_server")},
    "project.name": "its page says that it is a label",
    "node_def.ext": "kept for the programs that wrote it",
    "workflow.ext": "kept for the programs that wrote it",
}


def unread():
    """(page, line, what is wrong) for each field that is neither read nor listed as not in effect."""
    pages = {name.removeprefix(PAGES).removesuffix(".md"): tree.read(name) for name in tree.select(".md", under=PAGES)}
    if not pages:
        return  # a tree without a reference has no settings
    written = reachable(pages)
    uses = {of_tests: receivers(of_tests) for of_tests in (False, True)}
    members = member_names()
    for entity, fields in sorted(written.items()):
        for field in fields:
            name = f"{entity}.{field}"
            if name in NEEDS_NONE:
                continue
            if name in READ:
                where, text = READ[name]
                if text not in cpp.strip(tree.read(where), strings=False):
                    yield "scripts/lib/settings.py", 1, f"{name}: “{text}” no longer stands in {where}. Fix: say what reads it"
                continue
            member = members.get((entity, field), field)
            of_tests = entity.startswith("test") or entity == "text_match"
            if not uses[of_tests].get(member, set()) & names_of(entity, written):
                line = pages[entity].split(f"| `{field}` |")[0].count("\n") + 1
                yield f"{PAGES}{entity}.md", line, (f"{name} is accepted, and nothing reads it. Fix: read it; or add it to {TABLE}; or, "
                                                    "if it is read in another way, say where in scripts/lib/settings.py")
    known = {f"{entity}.{field}" for entity, fields in written.items() for field in fields}
    for name in sorted((READ.keys() | NEEDS_NONE.keys()) - known):
        yield "scripts/lib/settings.py", 1, f"{name} is not a setting that is in effect. Fix: delete its line"


def reachable(pages):
    """{entity: {field: entities in it}} of what people write, without what is listed as not in effect."""
    todo = [name for name, text in pages.items() if "You write it, in" in text]
    found = {}
    while todo:
        name = todo.pop()
        head = pages[name].split("| Field |")[0]
        if name in found or IGNORED in head:
            continue
        rows = ROW.findall(pages[name])
        found[name] = {field: PART.findall(kind) + (PART.findall(doc) if kind == "any JSON" else [])
                       for field, kind, _, doc in rows if IGNORED not in doc}
        todo += [part for parts in found[name].values() for part in parts]
        todo += PART.findall(pages[name].partition("\nRules:")[2])  # a schema by hand: `config` is one of two
    return found


def names_of(entity, written):
    """What code may call a thing of this kind."""
    holders = {field for fields in written.values() for field, parts in fields.items() if entity in parts}
    singular = {holder.removesuffix("s") for holder in holders}
    return {entity, entity.split("_")[-1], *holders, *singular, *NAMES.get(entity, ())}


def receivers(of_tests):
    """{member: {what stands before it}} over the code that does things: what runs tasks, or what runs tests of them."""
    found = {}
    for name in tree.select(".cpp", ".hpp", under="src/"):
        if name.startswith(HOLDERS) or name.startswith("src/testing/") != of_tests or UNUSED.search(name):
            continue
        for match in USE.finditer(cpp.strip(tree.read(name))):
            found.setdefault(match[2], set()).add(match[1])
    return found


def member_names():
    """{(entity, field): member} where C++ calls a field otherwise than files do."""
    found = {}
    for name in tree.select(".cpp", under="src/model/") + tree.select(".cpp", under="src/config/"):
        entity = None
        for match in re.finditer(r'\.name = "(\w+)"|\bfield\(\s*"([^"]+)",\s*&\w+::(\w+)', cpp.strip(tree.read(name), strings=False)):
            if match[1]:
                entity = match[1]
            elif match[2] != match[3]:
                found[entity, match[2]] = match[3]
    return found
