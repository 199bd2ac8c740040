#!/usr/bin/env bash
# Questions to the four data domains of shop/: one, two at once, one that is polled, one that fails, and one that is not clear.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
cd "$here/shop"
cadre check > /dev/null
carts=550e8400-e29b-41d4-a716-446655440000
cadre ask --quiet --session $carts "What products are frequently abandoned in carts?"
cadre ask --quiet --session $carts "and for last month?"
cadre ask --quiet "Why are customers not buying our top products?"
cadre ask --quiet "Is Product A too dear?"
performance=550e8400-e29b-41d4-a716-446655440001
cadre ask --quiet --session $performance "Show me performance"
cadre ask --quiet --session $performance "of our marketing campaigns"
