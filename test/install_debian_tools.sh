#!/bin/sh
# Install the Debian packages that some tests need: as root; otherwise say what to run, and those
# tests skip. A line of the list is a command, the package that brings it, and the suite that needs
# it; `install_debian_tools.sh long` is for the long suite too.
set -eu
missing=$(sed 's/#.*//' "$(dirname "$0")/debian_tools.txt" | while read -r command package suite; do
    case "$suite" in "" | "${1-}") ;; *) continue ;; esac
    [ -z "$command" ] || command -v "$command" >/dev/null || printf ' %s' "$package"
done)
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    # shellcheck disable=SC2086  # a list of packages
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "some tests will skip; to run them all: sudo apt-get install$missing" >&2
fi
