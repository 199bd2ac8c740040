#!/usr/bin/env bash
# Requests to the three agents of smart_home/: one agent, two agents, and one that is not clear.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
cd "$here/smart_home"
cadre check > /dev/null
cadre route "Turn on the kitchen lights"
cadre run --quiet "Turn on the kitchen lights"
cadre run --quiet "Dim the lights and play jazz"
cadre run --quiet "Make it warmer" 2> /dev/null || [ $? = 11 ]
task=$(cadre tasks --status waiting --json | grep -o '"id":"[^"]*"' | head -1 | cut -d'"' -f4)
cadre answer --quiet "$task" "the living room temperature"
