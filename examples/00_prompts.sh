#!/usr/bin/env bash
# A prompt that is a template, and what it is for two tasks: a scripted vendor keeps the requests that it gets.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
touch requests.jsonl
exec 3< <(exec cadre mock-llm --json --script "$here/scripts/newsroom.yaml" --requests requests.jsonl)
vendor=$!
trap 'kill $vendor' EXIT
read -r greeting <&3
OPENAI_BASE_URL=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["url"] + "/v1")' "$greeting")
export OPENAI_BASE_URL OPENAI_API_KEY=any
cadre run --quiet --model openai/gpt-5-mini "$here/teams/newsroom.yaml" "How was the weather?"
cadre run --quiet --model openai/gpt-5-mini "$here/teams/newsroom.yaml" "Urgent: how was the weather?"
python3 -c 'import json; [print("---", json.loads(line)["messages"][0]["content"], sep="\n") for line in open("requests.jsonl")]'
