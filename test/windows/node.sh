#!/usr/bin/env bash
# Runs a script with Windows' Node under Wine, as `node` would run it. The paths in the environment become paths on Z:.
# Written for Bash, because dash would drop variables such as INPUT_API-KEY.
set -euo pipefail

windows_path() { printf 'Z:%s' "${1//\//\\}"; }

script=$(windows_path "$1")
for name in GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_WORKSPACE RUNNER_TEMP; do
  if [ -n "${!name:-}" ]; then export "$name=$(windows_path "${!name}")"; fi
done

# On Z:, Windows' Node would find Linux's /proc.
cd "$WINEPREFIX/drive_c"

# Under Wine, Node cannot write to a pipe. It writes to a file, and `tail` copies that to the pipe until this process,
# which becomes Node, has ended.
lines=$(mktemp)
exec 3<"$lines" 4>"$lines"
rm "$lines"
tail --follow=descriptor --lines=+1 --sleep-interval=0.05 --pid=$$ <&3 3<&- 4>&- &
exec /usr/lib/wine/wine64 "$WINDOWS_NODE" "$script" >&4 2>&1 3<&- 4>&-
