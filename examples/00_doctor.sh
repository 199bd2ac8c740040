#!/usr/bin/env bash
# Is this machine ready for Cadre? The doctor looks, says what it found, and ends with 0 when it is.
set -euo pipefail
cadre doctor
