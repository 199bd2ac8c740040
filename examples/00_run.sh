#!/usr/bin/env bash
# An agent at work, with a model that needs no key: run, asked, answered from elsewhere, and looked at.
set -euo pipefail
export CADRE_HOME=$PWD/home
mkdir agents
cat > agents/painter.yaml <<'END'
name: painter
role: Paints.
prompt: Ask which colour, then write it down.
tools: [ask_human, write_file]
END
cat > painter.yaml <<'END'
- tool_calls: [{name: ask_human, arguments: {question: "Which colour?"}}]
- when: {contains: blue}
  tool_calls: [{name: write_file, arguments: {path: colour.txt, content: blue}}]
- text: It is blue now.
END
cadre run --agent painter --model script:painter.yaml "Paint the door." || [ $? = 11 ]  # it waits for a person
task=$(cadre tasks --status waiting --json | grep -o '"id":"[^"]*' | cut -d'"' -f4)
cadre answer "$task" blue
cat "home/tasks/$task/artifacts/colour.txt"
echo
cadre replay --quiet "$task" | wc -l
cadre verify
