#!/usr/bin/env bash
# Messages to messages/: the example of document 001, an answer in pieces, the same for WhatsApp, and one that no data bears out.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
export CADRE_HOME=$PWD/home
cd "$here/messages"
cadre check > /dev/null
cadre message --quiet --channel sms "Check my timesheet"
cadre message --quiet --channel sms --name Ann "Hours by day"
cadre message --quiet --channel whatsapp --name Ann "Hours by day"
cadre message --quiet --channel sms "How much overtime have I got?" || echo "exit code $?"
