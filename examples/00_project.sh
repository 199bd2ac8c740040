#!/usr/bin/env bash
# From nothing to a checked project; then a larger one, with every kind of file that Cadre reads, and a team in one file.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cadre init hello
cadre check hello
cadre check "$here/project"
cadre check "$here/teams/two_writers.yaml"
