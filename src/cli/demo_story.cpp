#include "cli/demo_story.hpp"

namespace cadre::cli {

std::string_view demo_team()
{
    return R"yaml(name: picnic
description: One plans, the other writes it down.
agents:
  - name: planner
    role: Plans.
    prompt: You plan. Ask the person what only a person can know.
    tools: [calculator, ask_human]
  - name: writer
    role: Writes.
    prompt: You write it down.
    tools: [write_file]
handoff_rules:
  - {from_agent: planner, to_agent: writer}
)yaml";
}

std::string_view demo_project()
{
    return "name: picnic\nmodel: script:script.yaml\n";
}

std::string_view demo_script()
{
    // times: any, because a process that takes the task up again does not ask for what is done
    return R"yaml(
- when: {agent: planner, nth: 1}
  times: any
  text: "Six people: first the numbers. Three sandwiches each, and half a litre of lemonade."
  chunks: 16
  delay_ms: 500
  pace_ms: 50
  tool_calls:
    - {name: calculator, arguments: {expression: "6 * 3"}}
    - {name: calculator, arguments: {expression: "6 * 0.5"}}
  usage: {input: 182, output: 41, cost: 0.0011}
- when: {agent: planner, nth: 2}
  times: any
  delay_ms: 500
  tool_calls: [{name: ask_human, arguments: {question: "Which day suits you?", choices: [Saturday, Sunday]}}]
  usage: {input: 251, output: 22, cost: 0.0012}
- when: {agent: planner, nth: 3, contains: Saturday}
  times: any
  text: "Then we need 18 sandwiches and 3 litres of lemonade on Saturday, by the lake, at noon."
  chunks: 16
  delay_ms: 500
  pace_ms: 50
  tool_calls: [{name: handoff, arguments: {to: writer, reason: "The plan for Saturday is ready to be written down."}}]
  usage: {input: 290, output: 30, cost: 0.0014}
- when: {agent: planner, nth: 3, contains: Sunday}
  times: any
  text: "Then we need 18 sandwiches and 3 litres of lemonade on Sunday, by the lake, at noon."
  chunks: 16
  delay_ms: 500
  pace_ms: 50
  tool_calls: [{name: handoff, arguments: {to: writer, reason: "The plan for Sunday is ready to be written down."}}]
  usage: {input: 290, output: 30, cost: 0.0014}
- when: {agent: writer, nth: 1, contains: Saturday}
  times: any
  # nothing at the end, for a while: the text is to be seen before the process is killed
  chunks: ["I put ", "the ", "invitation ", "into ", "a ", "file.", "", "", "", "", "", ""]
  delay_ms: 500
  pace_ms: 50
  tool_calls:
    - name: write_file
      arguments: {path: invitation.txt, content: "Picnic on Saturday by the lake, at noon. Sandwiches and lemonade are there; bring a blanket."}
  usage: {input: 160, output: 48, cost: 0.0011}
- when: {agent: writer, nth: 1, contains: Sunday}
  times: any
  # nothing at the end, for a while: the text is to be seen before the process is killed
  chunks: ["I put ", "the ", "invitation ", "into ", "a ", "file.", "", "", "", "", "", ""]
  delay_ms: 500
  pace_ms: 50
  tool_calls:
    - name: write_file
      arguments: {path: invitation.txt, content: "Picnic on Sunday by the lake, at noon. Sandwiches and lemonade are there; bring a blanket."}
  usage: {input: 160, output: 48, cost: 0.0011}
- when: {agent: writer, nth: 2}
  times: any
  text: "The invitation is in invitation.txt: a picnic by the lake, at noon, with 18 sandwiches and 3 litres of lemonade. Bring a blanket."
  chunks: 20
  delay_ms: 500
  pace_ms: 50
  usage: {input: 230, output: 36, cost: 0.0013}
)yaml";
}

}  // namespace cadre::cli
