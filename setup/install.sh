#!/usr/bin/env bash
# Installs the Debian packages of the given purposes (setup/packages.txt) that are missing. Quiet, and
# does nothing when all are there. usage: setup/install.sh build [test] [bench] [tools]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wanted=()
for purpose in "$@"; do
  while read -r kind spec; do
    [ "$kind" = "$purpose" ] || continue
    name=${spec%%=*}
    dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || wanted+=("$spec")
  done < <(grep -vE '^(#|$)' "$here/packages.txt")
done
[ ${#wanted[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: need root (or sudo) to install: ${wanted[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${#wanted[@]} packages (${wanted[*]%%=*})"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export DEBIAN_FRONTEND=noninteractive
if ! { "${as_root[@]}" apt-get -q update &&
       "${as_root[@]}" apt-get -qy install --no-install-recommends "${wanted[@]}"; } >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "setup: the packages above could not be installed (Debian 12 is expected)" >&2
  exit 1
fi
