# Debian's packages without touching the machine's configuration: sources are looked up through a
# copy of its own package sources in the cache, turned into source entries. BENCH_SUITE: those of another
# release of Debian instead, as does a recipe's suite.

# suite_use: what follows is of the release that is meant.
suite_use() {
    meant=${BENCH_SUITE:-$suite}
    apt_home=$cache/apt${meant:+-$meant}
}

apt_private() {
    "$1" -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_home/sources" \
        -o Dir::State::lists="$apt_home/lists" -o Dir::Cache="$apt_home/cache" \
        -o APT::Sandbox::User="$(id -un)" "${@:2}"
}

suite_source() { echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $meant main"; }

machine_sources() {
    local file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ -r "$file" ] && sed -nE 's/^ *deb(-src)?([ \t])/deb-src\2/p' "$file" >"$1/$(basename "$file" .list).list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ -r "$file" ] && sed -E 's/^Types:.*/Types: deb-src/' "$file" >"$1/$(basename "$file")"
    done
}

# A third party's source may have no source packages and fail; what counts is whether the package
# asked for is found, so the status of the update is not looked at.
apt_sources_update() {
    [ -e "$apt_home/updated" ] && [ -z "$(find "$apt_home/updated" -mtime +7)" ] && return
    rm -rf "$apt_home"
    mkdir -p "$apt_home/sources" "$apt_home/lists/partial" "$apt_home/cache/archives/partial"
    [ -z "$meant" ] || suite_source >"$apt_home/sources/suite.list"
    [ -n "$meant" ] || machine_sources "$apt_home/sources"
    apt_private apt-get update || true
    touch "$apt_home/updated"
}

# The newest version that can be had: mirrors do not always carry what their index names.
source_download() {
    local version
    for version in $(apt_private apt-cache showsrc "$1" | sed -n 's/^Version: //p' | sort -rVu); do
        apt_private apt-get source --download-only "$1=$version" && return
    done
    return 1
}

# source_unpack PACKAGE FOLDER: fetches once, unpacks with Debian's patches.
source_unpack() {
    suite_use
    local at=$cache/sources/$1${meant:+@$meant}
    if ! ls "$at"/*.dsc >/dev/null 2>&1; then
        apt_sources_update
        rm -rf "$at" "$at.new" && mkdir -p "$at.new"
        (cd "$at.new" && source_download "$1") || return 1
        mv "$at.new" "$at"
    fi
    dpkg-source -q --no-check -x "$at"/*.dsc "$2"
}

# debs_unpack FOLDER PACKAGE...
debs_unpack() {
    local into=$1 deb
    shift
    mkdir -p "$into/debs"
    (cd "$into/debs" && apt-get -qq -o APT::Sandbox::User="$(id -un)" download "$@") || return 1
    for deb in "$into"/debs/*.deb; do dpkg-deb -x "$deb" "$into" || return 1; done
}

# packages_missing COMMAND:PACKAGE...: the packages whose command or file is not there.
packages_missing() {
    local pair
    for pair in "$@"; do
        case $pair in
        /*) [ -e "${pair%:*}" ] || echo "${pair##*:}" ;;
        *) command -v "${pair%:*}" >/dev/null || echo "${pair##*:}" ;;
        esac
    done | sort -u
}

# packages_install PACKAGE...: installs when it may, else prints the one command that would.
packages_install() {
    [ $# -gt 0 ] || return 0
    local as
    if [ "$(id -u)" = 0 ]; then as=
    elif sudo -n true 2>/dev/null; then as='sudo -n'
    else
        echo "bench needs these packages: $*" >&2
        echo "type:  sudo apt-get install -y --no-install-recommends $*" >&2
        return 1
    fi
    echo "installing: $*" >&2
    local lock
    exec {lock}>"${TMPDIR:-/tmp}/packages-$(id -u).lock"
    flock "$lock" # tests run side by side
    # Others may be installing, too: wait for them.
    $as apt-get update -qq >&2
    $as env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "$@" >&2
    local status=$?
    exec {lock}>&-
    return $status
}
