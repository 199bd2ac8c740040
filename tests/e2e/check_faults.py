"""Faults to put into examples/project, one at a time, and the one message that `cadre check` must answer each with."""
import collections

Fault = collections.namedtuple("Fault", "name file old new says")  # says: what follows the file's name

TEAM = "teams/support.yaml"
WORKFLOW = "workflows/report.json"
SERVERS = "config/mcp_servers.yaml"
DOMAINS = "config/domains.yaml"
AGENT = "agents/researcher.json"
WRITER = "agents/writer.yaml"
CHANNELS = "agents/config/channels.yaml"
STYLE = "agents/config/style_guide.yaml"
RETENTION = "config/retention_policy.yaml"
SETTINGS = "config/appsettings.json"
PROJECT = "cadre.yaml"
DOTENV = ".env"

FAULTS = [Fault(*fault) for fault in (
    ("unknown field", TEAM, "description:", "descripton:",
     "2:1: error: descripton: is not a field of team, did you mean \"description\"?"),
    ("unknown nested field", TEAM, "    timeout: 20", "    timeuot: 20",
     "29:5: error: tools[1].timeuot: is not a field of tool, did you mean \"timeout\"?"),
    ("duplicate key", TEAM, "description: Answers", "name: again\ndescription: Answers",
     "2:1: error: \"name\" is already there at 1:1; remove one of them"),
    ("duplicate JSON key", AGENT, "\"temperature\": 0.2", "\"role\": \"x\"",
     "12:3: error: \"role\" is already there at 3:3; remove one of them"),
    ("missing field", TEAM, "    role: Talks to the customer.\n", "",
     "7:5: error: agents[0].role: is required"),
    ("wrong type", TEAM, "max_steps: 20", "max_steps: twenty",
     "54:14: error: execution_config.max_steps: must be a whole number, is text"),
    ("out of range", AGENT, "\"temperature\": 0.2", "\"temperature\": 2.5",
     "12:18: error: temperature: must be at most 2, is 2.5"),
    ("bad enum", TEAM, "type: consensus", "type: concensus",
     "42:11: error: collaboration_patterns[0].type: \"concensus\" is none of parallel, hierarchical, consensus, "
     "did you mean \"consensus\"?"),
    ("bad name", TEAM, "- name: front_desk", "- name: FrontDesk",
     "7:11: error: agents[0].name: \"FrontDesk\" is not a name like agent_1 (lower-case letters, digits and _, "
     "a letter first)"),
    ("agent twice", TEAM, "- name: accountant", "- name: front_desk",
     "12:11: error: agents[1].name: \"front_desk\" is here twice"),
    ("tool twice", TEAM, "- name: tidy_address", "- name: search",
     "30:11: error: tools[2].name: \"search\" is here twice"),
    ("tool twice in one agent", TEAM, "tools: [search, look_up_order]", "tools: [search, search]",
     "10:21: error: agents[0].tools[1]: \"search\" is here twice"),
    ("unknown tool of agent in team", TEAM, "tools: [search, look_up_order]", "tools: [serach, look_up_order]",
     "10:13: error: agents[0].tools[0]: unknown tool \"serach\", did you mean \"search\"?"),
    ("unknown handoff agent", TEAM, "to_agent: accountant}", "to_agent: acountant}",
     "38:40: error: handoff_rules[0].to_agent: unknown agent \"acountant\", did you mean \"accountant\"?"),
    ("unknown pattern agent", TEAM, "agents: [front_desk, accountant]", "agents: [frontdesk, accountant]",
     "43:14: error: collaboration_patterns[0].agents[0]: unknown agent \"frontdesk\", did you mean \"front_desk\"?"),
    ("unknown coordination agent", TEAM, "coordination_agent: accountant", "coordination_agent: boss",
     "44:25: error: collaboration_patterns[0].coordination_agent: unknown agent \"boss\""),
    ("unknown policy", TEAM, "guardrail_policies: [no_card_numbers]", "guardrail_policies: [no_card_number]",
     "11:26: error: agents[0].guardrail_policies[0]: unknown policy \"no_card_number\", did you mean "
     "\"no_card_numbers\"?"),
    ("unknown pattern", TEAM, "collaboration_patterns: [refund_vote]", "collaboration_patterns: [refund_votes]",
     "17:30: error: agents[1].collaboration_patterns[0]: unknown pattern \"refund_votes\", did you mean "
     "\"refund_vote\"?"),
    ("unknown fallback tool", TEAM, "fallback_tools: [look_up_order]", "fallback_tools: [lookup_order]",
     "25:22: error: tools[0].fallback_tools[0]: unknown tool \"lookup_order\", did you mean \"look_up_order\"?"),
    ("fallback cycle", SERVERS,
     "    description: The same from last night's copy.",
     "    description: The same from last night's copy.\n    fallback_tools: [query_sales]",
     "30:21: error: tools[2].fallback_tools: cycle: query_sales → query_archive → query_sales; fallbacks must "
     "end somewhere: remove one"),
    ("unknown server of a team's tool", TEAM, "server: orders", "server: order",
     "28:13: error: tools[1].server: unknown server \"order\", did you mean \"orders\"?"),
    ("tool not offered by server", TEAM,
     "  - name: look_up_order\n    type: mcp\n    server: orders",
     "  - name: look_up_order\n    type: mcp\n    server: numbers",
     "26:11: error: tools[1].name: \"look_up_order\" is not offered by server \"numbers\""),
    ("mcp tool without server", TEAM, "    server: orders\n", "",
     "26:5: error: tools[1]: needs a server: name one of config/mcp_servers.yaml as server, or give its server_url"),
    ("custom tool without path", TEAM, "    path: tools/tidy_address.py\n", "",
     "30:5: error: tools[2].path: is required: it names the program of a custom tool"),
    ("missing program", TEAM, "path: tools/tidy_address.py", "path: tools/tidy_adress.py",
     "32:11: error: tools[2].path: the program \"tools/tidy_adress.py\" does not exist, neither beside this "
     "file nor in the project"),
    ("missing template", TEAM, "prompts/front_desk.j2", "prompts/frontdesk.j2",
     "9:22: error: agents[0].prompt_template: the template \"prompts/frontdesk.j2\" does not exist, neither "
     "beside this file nor in the project"),
    ("prompt and template", TEAM,
     "    prompt_template: prompts/front_desk.j2",
     "    prompt_template: prompts/front_desk.j2\n    prompt: Hello",
     "10:13: error: agents[0].prompt: cannot stand beside prompt_template; give one of the two"),
    ("secret written down", TEAM, "api_key: ${SHOP_KEY:-none}", "api_key: sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c",
     "21:16: error: agents[1].llm_config.api_key: a secret stands here in plain sight; put it into the "
     "environment or .env and write ${API_KEY} (then replace it, because others may have read it)"),
    ("secret as a default", TEAM, "${SHOP_KEY:-none}", "${SHOP_KEY:-sk-proj-4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c}",
     "21:16: error: agents[1].llm_config.api_key: a secret stands here in plain sight, as the default of SHOP_KEY; "
     "put it into the environment or .env and write ${SHOP_KEY} (then replace it, because others may have read it)"),
    ("secret in a header", SERVERS, "\"Bearer ${NUMBERS_TOKEN:-}\"", "\"Bearer 4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c\"",
     "12:32: error: servers[1].config.headers.Authorization: a secret stands here in plain sight; put it into "
     "the environment or .env and write ${AUTHORIZATION} (then replace it, because others may have read it)"),
    ("variable not set", TEAM, "${SHOP_KEY:-none}", "${SHOP_KYE}",
     "21:16: error: the variable SHOP_KYE is not set; set it in the environment or in .env, or write a "
     "default: ${SHOP_KYE:-…}"),
    ("malformed reference", TEAM, "${SHOP_KEY:-none}", "${SHOP KEY}",
     "21:16: error: \"${SHOP KEY}\" is not a reference like ${NAME} or ${NAME:-default}; write $${ for the "
     "characters themselves"),
    ("breakpoint slip", TEAM, "breakpoints: [accountant]", "breakpoints: [acountant]",
     "55:17: warning: execution_config.breakpoints[0]: \"acountant\" is no agent or tool of this team, did you "
     "mean \"accountant\"?"),
    ("bad rule value", TEAM, "{kind: pii, on: output}", "{kind: max_length, value: long}",
     "52:35: error: guardrail_policies[0].rules[0].value: must be a whole number of at least 0"),
    ("cycle", WORKFLOW,
     "{\"from\": \"sales\", \"to\": \"draft\"},",
     "{\"from\": \"sales\", \"to\": \"draft\"}, {\"from\": \"draft\", \"to\": \"research\"},",
     "13:39: error: cycle: research → sales → draft → research; a workflow has no way back: remove this edge, "
     "or let a pattern like reflection repeat inside a node"),
    ("unreachable node", WORKFLOW,
     "    \"review\": {\"type\": \"human\"},",
     "    \"review\": {\"type\": \"human\"},\n    \"lost\": {\"type\": \"human\"},",
     "9:5: error: nodes.lost: no way from the entry point \"research\" leads here; add an edge, or remove the node"),
    ("unknown entry point", WORKFLOW, "\"entry_point\": \"research\"", "\"entry_point\": \"reserch\"",
     "17:18: error: entry_point: \"reserch\" is not a node of this workflow, did you mean \"research\"?"),
    ("unknown edge target", WORKFLOW, "\"to\": \"draft\"}", "\"to\": \"drafts\"}",
     "13:29: error: edges[1].to: \"drafts\" is not a node of this workflow, did you mean \"draft\"?"),
    ("unknown edge source", WORKFLOW, "{\"from\": \"draft\"", "{\"from\": \"darft\"",
     "14:14: error: edges[2].from: \"darft\" is not a node of this workflow, did you mean \"draft\"?"),
    ("unknown checkpoint", WORKFLOW, "[\"review\"]", "[\"reviewer\"]",
     "18:19: error: checkpoints[0]: \"reviewer\" is not a node of this workflow, did you mean \"review\"?"),
    ("unknown agent of node", WORKFLOW, "\"agent\": \"writer\"", "\"agent\": \"writter\"",
     "7:41: error: nodes.draft.agent: unknown agent \"writter\", did you mean \"writer\"?"),
    ("unknown tool of node", WORKFLOW, "\"tool\": \"query_sales\"", "\"tool\": \"query_sale\"",
     "6:39: error: nodes.sales.tool: unknown tool \"query_sale\", did you mean \"query_sales\"?"),
    ("node without agent", WORKFLOW, "{\"type\": \"agent\", \"agent\": \"writer\"}", "{\"type\": \"agent\"}",
     "7:14: error: nodes.draft.agent: is required for a node of type agent"),
    ("bad node type", WORKFLOW, "\"review\": {\"type\": \"human\"}", "\"review\": {\"type\": \"humans\"}",
     "8:24: error: nodes.review.type: \"humans\" is none of agent, tool, condition, human, did you mean \"human\"?"),
    ("syntax error in JSON", WORKFLOW, "\"max_iterations\": 30", "\"max_iterations\": 30,",
     "20:1: error: syntax error at \"}\""),
    ("unknown tool of agent", AGENT, "\"query_sales\", ", "\"query_sale\", ",
     "5:13: error: tools[0]: unknown tool \"query_sale\", did you mean \"query_sales\"?"),
    ("unknown tool of server", AGENT, "orders.look_up_order", "orders.lookup_order",
     "5:28: error: tools[1]: \"lookup_order\" is not offered by server \"orders\", did you mean \"look_up_order\"?"),
    ("file not called what it holds", AGENT, "\"name\": \"researcher\"", "\"name\": \"research\"",
     "2:11: error: name: \"research\" is in the file researcher.json, and would not be found by its name; "
     "rename the file to research.json"),
    ("name twice", WRITER, "name: writer", "name: researcher",
     "1:7: error: name: \"researcher\" is already the name of the agent at agents/researcher.json:2:11; rename "
     "one of them"),
    ("alias clash", WRITER, "alias: report-writer", "alias: researcher",
     "4:8: error: alias: the alias \"researcher\" is already that of agent \"researcher\" in "
     "agents/researcher.json; give one of them another"),
    ("bad alias", WRITER, "alias: report-writer", "alias: Report Writer",
     "4:8: error: alias: \"Report Writer\" is not a name like light-agent (lower-case letters, digits and -, a "
     "letter first)"),
    ("server twice", SERVERS, "- name: numbers", "- name: orders",
     "8:11: error: servers[1].name: \"orders\" is here twice; server names are unique"),
    ("unknown server", SERVERS, "    server: orders\n", "    server: odrers\n",
     "15:13: error: tools[0].server: unknown server \"odrers\", did you mean \"orders\"?"),
    ("bad transport", SERVERS, "transport: stdio", "transport: stdoi",
     "3:16: error: servers[0].transport: \"stdoi\" is none of stdio, sse, streamable_http, streamable-http, did "
     "you mean \"stdio\"?"),
    ("server without command", SERVERS, "      command: orders-server\n", "",
     "5:7: error: servers[0].config.command: is required"),
    ("bad url", SERVERS, "https://numbers.example.com/mcp", "numbers.example.com/mcp",
     "11:12: error: servers[1].config.url: \"numbers.example.com/mcp\" is not a URL that starts with http:// or "
     "https://"),
    ("tool of two servers", SERVERS, "  - name: query_archive", "  - name: look_up_order",
     "27:11: error: tools[2].name: \"look_up_order\" already belongs to server \"orders\"; a tool has one server"),
    ("tool timeout not positive", SERVERS, "timeout_seconds: 50", "timeout_seconds: 0",
     "25:22: error: tools[1].timeout_seconds: must be at least 1, is 0"),
    ("unknown domain", DOMAINS, "related_domains: [orders]", "related_domains: [order]",
     "7:23: error: domains[0].related_domains[0]: unknown domain \"order\", did you mean \"orders\"?"),
    ("domain twice", DOMAINS, "  - name: orders", "  - name: sales",
     "8:11: error: domains[1].name: \"sales\" is already the name of the domain at config/domains.yaml:2:11; "
     "rename one of them"),
    ("domain not snake case", DOMAINS, "  - name: sales", "  - name: Sales",
     "2:11: error: domains[0].name: \"Sales\" is not a name like agent_1 (lower-case letters, digits and _, a "
     "letter first)"),
    ("tool not offered by any server", DOMAINS, "mcp_tools: [query_sales]", "mcp_tools: [query_genie]",
     "6:17: error: domains[0].mcp_tools[0]: unknown tool \"query_genie\"; define it in a team's tools, or under "
     "tools in config/mcp_servers.yaml"),
    ("sms with markdown", CHANNELS, "supports_markdown: false", "supports_markdown: true",
     "4:24: error: channels[0].supports_markdown: must be false for sms, which shows markdown as it is"),
    ("sms too long", CHANNELS, "max_length: 1600", "max_length: 1601",
     "3:17: error: channels[0].max_length: must be at most 1600 for sms"),
    ("bad markdown feature", CHANNELS, "[bold, italic, code]", "[bold, italics, code]",
     "9:31: error: channels[1].markdown_features[1]: \"italics\" is none of bold, italic, headers, tables, "
     "links, code, did you mean \"italic\"?"),
    ("channel twice", CHANNELS, "split_strategy: paragraph", "split_strategy: paragraph\n  - channel: whatsapp",
     "11:14: error: channels[2].channel: is here twice"),
    ("style guide without brand", STYLE, "brand_name: Corner Shop\n", "",
     "1:1: error: brand_name: is required"),
    ("yaml 1.1 truth", STYLE, "enabled: false", "enabled: no",
     "5:19: error: emojis.enabled: must be true or false, is text"),
    ("bad status in retention", RETENTION, "failed: 14", "faild: 14",
     "7:10: error: by_status.faild: must be completed, failed or cancelled: only what has ended is purged"),
    ("negative days", RETENTION, "default_days: 7", "default_days: -1",
     "1:15: error: default_days: must be at least 0, is -1"),
    ("router threshold", SETTINGS, "\"ConfidenceThreshold\": 0.7", "\"ConfidenceThreshold\": 1.7",
     "4:28: error: RouterExecutor.ConfidenceThreshold: must be at most 1, is 1.7"),
    ("unknown fallback agent", SETTINGS, "\"front-desk\"", "\"frontdesk\"",
     "9:24: error: RouterExecutor.FallbackAgentId: unknown agent \"frontdesk\", did you mean \"front-desk\"?"),
    ("unknown option", SETTINGS, "\"MaxRetries\"", "\"MaxRetry\"",
     "13:5: error: AgentExecutorWrapper.MaxRetry: is not a field of agent_executor_wrapper_options, did you "
     "mean \"MaxRetries\"?"),
    ("unknown team", PROJECT, "team: support", "team: suport",
     "5:7: error: team: unknown team \"suport\", did you mean \"support\"?"),
    ("model without provider", PROJECT, "scripted/demo", "demo",
     "4:8: error: model: must be provider/model, like openai/gpt-5-mini"),
    ("reference that is no number", PROJECT, "${SHOP_TOKENS:-200000}", "${SHOP_TOKENS:-many}",
     "8:15: error: budget.max_tokens: must be a whole number, is text"),
    ("newer version", PROJECT, "version: 1.0.0", "version: 2.0.0",
     "2:10: error: version: is newer than this program; update cadre, or write 1.0.0"),
    ("tab", TEAM, "    role: Decides about refunds.", "\trole: Decides about refunds.",
     "13:1: error: a tab in the indentation; use spaces"),
    ("indentation", TEAM, "    role: Decides about refunds.", "   role: Decides about refunds.",
     "13:4: error: the indentation does not fit the lines above; a list's items begin with '- '"),
    ("colon in text", TEAM, "role: Decides about refunds.", "role: Decides: refunds.",
     "13:18: error: a ':' where no value can begin; quote the text if it contains ': '"),
    ("open quote", TEAM, "role: Decides about refunds.", "role: \"Decides about refunds.",
     "56:1: error: a quote is not closed"),
    ("tag", TEAM, "max_steps: 20", "max_steps: !!int 20",
     "54:14: error: the tag \"tag:yaml.org,2002:int\" is not read; leave it out, and quote the value if it is text"),
    ("merge key", TEAM, "execution_config:\n", "execution_config:\n  <<: {mode: step}\n",
     "54:3: error: merge keys (<<) are not read; write the fields out, or use an alias for the whole value"),
    ("second document", TEAM, "execution_config:", "---\nexecution_config:",
     "53:1: error: a second document begins here; write one document per file"),
    ("unknown alias", TEAM, "max_steps: 20", "max_steps: *steps",
     "54:14: error: the alias refers to an anchor that is not defined above it"),
    ("refused in .env", DOTENV, "SHOP_KEY=", "HTTPS_PROXY=http://x\nSHOP_KEY=",
     "2:1: warning: HTTPS_PROXY is not read from .env, because it would change more than this project; set it "
     "in the environment instead"),
    ("slip in .env", DOTENV, "SHOP_KEY=", "SHOP_TOKEN=1\nSHOP_KEY=",
     "2:1: warning: nothing uses \"SHOP_TOKEN\", did you mean \"SHOP_TOKENS\"?"),
    ("no name in .env", DOTENV, "SHOP_KEY=", "=x\nSHOP_KEY=",
     "2:1: error: must be NAME=value, with letters, digits and _ in the name"),
    ("not a variable in .env", DOTENV, "SHOP_KEY=", "SHOP KEY\nSHOP_KEY=",
     "2:1: error: must be NAME=value, with letters, digits and _ in the name"),
)]
