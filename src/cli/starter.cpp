#include "cli/starter.hpp"

namespace cadre::cli {
namespace {

constexpr StarterFile kFiles[] = {
    {"cadre.yaml", R"(# yaml-language-server: $schema=.cadre/schemas/project.schema.json
# What holds for the whole project. `cadre check` reads everything here and says what is wrong.
# The line above is for editors; `cadre schema --all .cadre/schemas` makes the schemas anew, which git does not keep.
# A setting like budget.max_steps can also be given as the variable CADRE_BUDGET_MAX_STEPS, which wins over this file.
version: 1.0.0

# The team that works when you name none: teams/desk.yaml
team: desk

# For teams and agents that name no model. `local` is a part of Cadre, and no language model: it quotes, calculates and calls tools,
# so it needs no key and no network. With OPENAI_API_KEY set, openai/gpt-5-mini is one; `cadre models` lists others.
model: local

# Out of tokens or money, a task pauses, and `cadre resume` has it go on with more. Out of steps (model calls), it fails.
budget:
  max_steps: 50
  max_tokens: 200000
  max_cost_usd: 1.00
)"},
    {"teams/desk.yaml", R"(# yaml-language-server: $schema=../.cadre/schemas/team.schema.json
# A team of one, which answers from files: put your own into knowledge/, and ask.
name: desk
description: Answers questions from the files in knowledge/.

default_llm: {}
agents:
  - name: desk
    role: Answers questions, and names its sources.
    prompt: |
      Answer from what search_knowledge finds, and name the files and lines that it comes from.
      If it finds nothing, say so.
    # Folders and files of the project that it may search: Markdown, text, HTML, PDF.
    knowledge: [knowledge/]
    tools: [calculator, clock]
)"},
    {"knowledge/first-steps.md", R"(# First steps

The team `desk` answers from this folder. Put your own files beside this one, or in its place.

## Models

The model of this project is `local`: a part of Cadre that quotes files, calculates and calls tools, and generates nothing.
To use a language model, set the key of a provider, for example OPENAI_API_KEY, and write `model: openai/gpt-5-mini` into cadre.yaml.
`cadre models` lists the models that can be used.

## Tasks

To see what has run, type `cadre tasks`. One task with its steps and calls is shown by `cadre show ID`.
To resume a task that was interrupted or paused, type `cadre resume ID`. Nothing that was done is done again.
To stop a task for good, type `cadre cancel ID`.

## Budget

A task of this project may make 50 model calls, use 200000 tokens and cost 1 dollar. The limits stand under `budget` in cadre.yaml.
When the tokens or the money are used up, the task pauses until it is resumed with more.

## Tests

`cadre test` runs the tests of the teams, which stand beside them: teams/writers.test.yaml tests teams/writers.yaml.

## More

`cadre run writers "Hello"` runs a team of two, whose model is a script: demo.yaml. `cadre graph article` draws the workflow.
)"},
    {"demo.yaml",
     R"(# A scripted model: the first entry that matches answers, whatever the prompt. Change the texts, and run it again.
# For each request the list is read from the top; `times: any` means as often as it matches, or never.
- when: {agent: writer, after_tool: false}
  times: any
  text: Let me see whether the tools work.
  tool_calls: [{name: calculator, arguments: {expression: "6 * 7"}}]
- when: {agent: writer, after_tool: true}
  times: any
  text: Hello! I am a script, and the calculator gave 42.
  tool_calls: [{name: handoff, arguments: {to: reviewer, reason: Please look at it.}}]
- when: {agent: reviewer}
  times: any
  text: |-
    Hello! I am a script, not a model: these words stand in demo.yaml, and I say them whatever you ask.
    The calculator is real: it was asked for 6 * 7, and gave 42. `cadre tasks` and `cadre show` tell what has happened.
- times: any
  text: Hello! I am a script, not a model; demo.yaml has these words.
)"},
    {"teams/writers.yaml", R"(# yaml-language-server: $schema=../.cadre/schemas/team.schema.json
# A team: agents, the tools they may call, and who hands over to whom.
name: writers
description: Writes a short text, and lets a second pair of eyes look at it.

# The model of every agent that has none of its own. This one plays a model: demo.yaml says what it answers, whatever is asked.
default_llm: {provider: script, model: demo.yaml}
# A real one; the key comes from the environment or from .env, never from here. With {} it is that of cadre.yaml.
# default_llm:
#   provider: openai
#   model: gpt-5-mini
#   api_key: ${OPENAI_API_KEY}

agents:
  - name: writer
    role: Writes the first draft.
    # The prompt itself. A longer one can live in a file of its own: prompt_template: prompts/writer.j2
    prompt: |
      You write short, clear texts. Write what the user asks for in at most 200 words.
      When you are done, hand over to the reviewer.
    # Built in: it needs no definition.
    tools: [calculator]
  - name: reviewer
    role: Checks the draft and gives it back, or says that it is done.
    prompt: |
      You are a careful editor. If something is unclear or wrong, say what, and hand back to the writer.
      If the text is good, repeat it without comments.
    tools: [ask_author]

tools:
  # A person who is asked. After an hour without an answer the task goes on without one.
  - name: ask_author
    type: hitl
    timeout: 3600

# Who may hand over to whom. An agent does so by calling the tool `handoff`, which it gets by these rules. The last one that does not
# gives the answer.
handoff_rules:
  - {from_agent: writer, to_agent: reviewer}
  - {from_agent: reviewer, to_agent: writer}

execution_config:
  # Handing over in circles ends here.
  max_steps: 12
)"},
    {"teams/writers.test.yaml", R"(# yaml-language-server: $schema=../.cadre/schemas/test.schema.json
# Tests of the team beside this file. To run them: cadre test
cases:
  - name: the calculator is asked before the answer
    input: What is 6 * 7?
    # The model's answers, in place of those in demo.yaml: no key, no network, the same answers every time.
    script:
      - tool_calls: [{name: calculator, arguments: {expression: "6 * 7"}}]
      - text: It is 42.
    expect:
      answer: {contains: "42"}
      calls: [{tool: calculator, result: {contains: "42"}}]

  - name: the reviewer has the last word
    input: What is 6 * 7?
    script:
      - {when: {agent: writer}, text: Six times seven is 42., tool_calls: [{name: handoff, arguments: {to: reviewer, reason: Please look at it.}}]}
      - {when: {agent: reviewer}, text: It is 42.}
    expect:
      answer: It is 42.
      events: [agent_handoff, task_complete]
)"},
    {"agents/summarizer.yaml", R"(# yaml-language-server: $schema=../.cadre/schemas/agent.schema.json
# An agent on its own. Its name is the name of its file.
name: summarizer
role: Says in three sentences what a long text says.
prompt: |
  Summarise the text in three sentences. Keep numbers and names exactly as they are.
)"},
    {"workflows/article.yaml", R"(# yaml-language-server: $schema=../.cadre/schemas/workflow.schema.json
# A workflow: nodes, and the ways between them. There is no way back; what must be repeated is repeated inside a node.
name: article
patterns: [react]
entry_point: draft
nodes:
  draft: {type: agent, agent: writer}
  # A person decides whether it goes on. The task waits, for days if need be, and costs nothing meanwhile.
  approve: {type: human}
  summary: {type: agent, agent: summarizer}
edges:
  - {from: draft, to: approve}
  - {from: approve, to: summary}
checkpoints: [approve]
)"},
    {".env.example",
     R"(# Copy this file to .env and put your keys there. Only keys, and variables that the configuration refers to, are read from it.
# OPENAI_API_KEY=
# ANTHROPIC_API_KEY=
)"},
    {".gitignore", R"(.env
.cadre/
)"},
};

}  // namespace

std::span<const StarterFile> starter_files()
{
    return kFiles;
}

}  // namespace cadre::cli
