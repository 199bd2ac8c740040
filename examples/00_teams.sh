#!/usr/bin/env bash
# Everything in teams/ that has a folder: agents who hand over, vote, plan, and work at the same time; scripts stand in for models.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home

cd "$here/teams/writer_and_reviewer"
cadre run --quiet "Write about tea"
cadre test > /dev/null

cd "$here/teams/code_review"
cadre run --quiet "Review the change that adds sign-in"
cadre test > /dev/null

cd "$here/teams/market_study"
cadre run --quiet "Is there a market for a small kettle?"
cadre test > /dev/null

cd "$here/teams/planner"
cadre run --quiet "Plan a picnic for six."
cadre test > /dev/null
