#!/usr/bin/env bash
# Everything in workflows/: agents, tools and people, and the ways between them; scripts stand in for models.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
waiting() { cadre tasks --status waiting --json | grep -o '"id":"[^"]*' | cut -d'"' -f4; }

cd "$here/workflows/article"
cadre run --quiet --workflow article "Write about tea" || [ $? = 11 ]  # it waits for a person
task=$(waiting)
cadre approve --quiet "$task"
cat "$CADRE_HOME/tasks/$task/artifacts/article.md"
echo

cd "$here/workflows/triage"
cadre run --quiet --workflow triage "Where is my invoice?"
cadre run --quiet --workflow triage "I cannot log in."

cd "$here/workflows/cleaning"
cadre run --quiet workflows/cleaning.yaml "Clean the rows" \
    --input 'rows=[{"id":"1","name":"ann","city":"OSLO"},{"id":"2","name":"bob","city":"rome"}]' > /dev/null
cat "$CADRE_HOME"/tasks/*/artifacts/rows.json
echo

cd "$here/workflows/poem"
cadre run --quiet --workflow poem "The sea"

cd "$here/workflows/campaign"
cadre run --quiet --workflow campaign "Our new tea"
