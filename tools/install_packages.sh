#!/bin/bash
# install_packages.sh GROUP...: installs the packages of tools/packages.txt in these groups that are not there yet.
set -euo pipefail
list=$(dirname "$0")/packages.txt
installed() {
  case $1 in
    nodejs) command -v node >/dev/null && return ;;
    npm) command -v npm >/dev/null && return ;;
  esac
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}
missing=()
while read -r group name; do
  for wanted in "$@"; do
    if [ "$group" = "$wanted" ] && ! installed "$name" && [[ " ${missing[*]-} " != *" $name "* ]]; then missing+=("$name"); fi
  done
done < <(grep -v '^#' "$list")
((${#missing[@]})) || exit 0

if ! command -v apt-get >/dev/null; then
  echo "missing: ${missing[*]} (names of Debian packages; no apt-get here, please install their like)" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "run as root, or install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for try in 1 2 3; do
  if "${as_root[@]}" apt-get update -qq >"$log" 2>&1 &&
     "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
    exit 0
  fi
  sleep $((try * 3))
done
tail -n 20 "$log" >&2
exit 1
