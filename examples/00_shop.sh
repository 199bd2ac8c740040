#!/usr/bin/env bash
# Everything in project/ and teams/ at work: a team, agents by themselves, programs and an MCP server as tools, without a key.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
export CADRE_SANDBOX=none  # so that programs of tools run where there is no bubblewrap, too
export CADRE_TRUST=1       # or cadre trust, once: its programs and its server may start
cadre run --quiet "$here/teams/two_writers.yaml" "What is a cadre?"
cd "$here/project"
cadre run --quiet "Where is order 17?"
cadre run --quiet --agent writer "How was May?"
# these two name a vendor's model: a script stands in for it
cadre run --quiet --agent accountant --model script:scripts/demo.yaml teams/support.yaml "May I refund order 17?"
cadre run --quiet --agent researcher --model script:scripts/demo.yaml "What sold best?"
