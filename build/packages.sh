# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# Installs Debian packages that are missing; read by build/check and
# build/quickstart.

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    else
        sudo "$@"
    fi
}

# is_installed PACKAGE
is_installed()
{
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# packages_until WORD: names in packages.txt up to the comment that has WORD;
# all without WORD.
packages_until()
{
    awk -v word="${1-}" '
        word != "" && /^#/ && index($0, word) { exit }
        !/^#/ && NF { print $1 }' "$srcdir/build/packages.txt"
}

# install_missing PACKAGE...: false if that is not possible.
# No service may start: the policy file, which is ours only while we install,
# forbids it, and recommended packages stay out.
install_missing()
{
    # Elsewhere configure tells what it does not find.
    command -v dpkg-query >/dev/null || return 0
    missing=''
    for package in "$@"; do
        is_installed "$package" || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    echo "installing:$missing"
    policy=/usr/sbin/policy-rc.d
    ours=no
    if [ ! -e $policy ]; then
        ours=yes
        printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null &&
            as_root chmod 755 $policy || return 1
    fi
    # shellcheck disable=SC2086  # packages are words
    as_root apt-get update -q >/dev/null &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
            --no-install-recommends $missing >/dev/null
    status=$?
    [ $ours = no ] || as_root rm -f $policy
    return $status
}
