#!/usr/bin/env bash
# A new project answers from its files, calculates, and says what it cannot do: without a key, by the model that is in the program.
set -euo pipefail
export CADRE_HOME=$PWD/home
cadre init hello > /dev/null
cd hello
cadre run --quiet "How do I stop a task for good?"
cadre run --quiet "What is 15% of 80?"
cadre run --quiet "Who was Napoleon?"
