# shellcheck shell=bash
# What the scripts share: lanes with names, seconds and a result. Sourced, never run.

# Where lanes leave their results, a line each, and the last words of those that failed; the first lane makes it.
lanes=
open_lanes() {
    [ -z "$lanes" ] || return 0
    lanes=$(mktemp -d "${TMPDIR:-/tmp}/lanes.XXXXXX")
    : >"$lanes/table"
    : >"$lanes/words"
}

# say TEXT…: one line that stands out from the output of the tools.
say() { printf '==> %s\n' "$*"; }

# die TEXT…: says why, and ends the script.
die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# processor_seconds FILE: what the commands of a subshell took of the processors, by what `times` said in it.
processor_seconds() {
    awk '{ for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); sum += 60 * t[1] + t[2] } } END { printf "%d", sum }' "$1"
}

# lane NAME COMMAND…: runs the command, prints its result, its seconds and those of the processors, and goes on whatever
# came of it.
#
# Its status is always 0: finish tells. Never call it after `if`, `!`, `&&` or `||`: bash would then ignore `set -e`
# inside the command as well, and a step that fails in the middle would pass.
lane_status=0
lane() {
    local name=$1 start=$SECONDS processors result=passed words spent
    open_lanes
    shift
    words=$(mktemp "${TMPDIR:-/tmp}/lane.XXXXXX")
    spent=$(mktemp "${TMPDIR:-/tmp}/lane.XXXXXX")
    say "$name"
    set +e
    # The subshell around the command counts what it took: this shell's own sum grows with each stream that ends.
    (
        (
            set -e
            "$@"
        )
        lane_status=$?
        times >"$spent"
        exit "$lane_status"
    ) 2>&1 | tee "$words"
    lane_status=${PIPESTATUS[0]}
    set -e
    if [ "$lane_status" -ne 0 ]; then
        result="FAILED ($lane_status)"
        { printf '\n==> the last words of %s:\n' "$name" && tail -n 40 "$words" | cut -c 1-600; } >>"$lanes/words"
    fi
    processors=$(processor_seconds "$spent")
    rm -f "$words" "$spent"
    printf '%-24s %6d s %6d s   %s\n' "$name" "$((SECONDS - start))" "$processors" "$result" >>"$lanes/table"
    printf -- '--- %s: %s, %d s, %d s of the processors\n' "$name" "$result" "$((SECONDS - start))" "$processors"
}

# stream COMMAND: runs it, and with it the lanes that it calls, beside what comes next; join_stream waits for it.
stream=
stream() {
    open_lanes
    "$@" >"$lanes/stream" 2>&1 &
    stream=$!
}

# join_stream: waits for the stream, and prints what it said.
join_stream() {
    local status=0
    wait "$stream" || status=$?
    cat "$lanes/stream"
    [ "$status" -eq 0 ] || die "lanes beside others ended with $status"
}

# finish: prints the last words of the lanes that failed, all lanes again and the sum; the status is 0 where none failed.
finish() {
    local failed
    open_lanes
    cat "$lanes/words"
    failed=$(grep -c ' FAILED ([0-9]*)$' "$lanes/table" || true)
    printf '\n%-24s %8s %8s\n' lane took processors
    cat "$lanes/table"
    printf '\n%d passed, %d failed\n' "$(($(wc -l <"$lanes/table") - failed))" "$failed"
    rm -rf "$lanes"
    [ "$failed" -eq 0 ]
}

# system_packages apt|brew: the system libraries that Package.swift names for this installer, one a line.
system_packages() {
    sed -n "s/.*\.$1(\[\([^]]*\)\]).*/\1/p" Package.swift | tr ',' '\n' | tr -d '" ' | sort -u
}

# as_root COMMAND…: runs it as root; says so where that takes sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        say "sudo $*"
        sudo "$@"
    else
        die "this needs root, and there is no sudo: $*"
    fi
}

# install_apt PACKAGE…: installs those that are missing.
install_apt() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" -eq 0 ] && return 0
    say "Installing ${missing[*]}"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# install_brew PACKAGE…: installs those that are missing.
install_brew() {
    local package
    for package in "$@"; do
        brew list --versions "$package" >/dev/null || {
            say "Installing $package"
            brew install "$package"
        }
    done
}

# install_system_libraries: what the package needs to build, on Debian and its kin or macOS with Homebrew.
install_system_libraries() {
    local packages=()
    if command -v apt-get >/dev/null; then
        mapfile_into packages system_packages apt
        install_apt git pkg-config "${packages[@]}"
    elif command -v brew >/dev/null; then
        mapfile_into packages system_packages brew
        install_brew pkgconf "${packages[@]}"
    else
        die "neither apt-get nor brew is here. Install by hand, then run this again: pkg-config, SQLite, $(system_packages apt | xargs)"
    fi
}

# mapfile_into ARRAY COMMAND…: its lines as an array; macOS has a bash without mapfile.
mapfile_into() {
    local name=$1 line
    shift
    # shellcheck disable=SC2034 # eval reads it.
    while IFS= read -r line; do eval "$name+=(\"\$line\")"; done < <("$@")
}

# require_swift: ends with a word on what to do unless Swift 6.2 or later is here.
require_swift() {
    command -v swift >/dev/null || die "Swift is not here. Install Swift 6.2 or later from https://www.swift.org/install, then run this again."
    local version major minor
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    [ -n "$version" ] || die "swift does not say its version: swift --version"
    major=${version%%.*}
    minor=${version#*.}
    if [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
        die "Swift $version is too old: 6.2 or later is needed. See https://www.swift.org/install"
    fi
}

# Where copies of the tree are built whose own modules are checked while they run, by libFuzzer or a sanitizer: one folder,
# since the packages that they use are the same for all.
# shellcheck disable=SC2034 # The scripts that source this read it.
checked=.build-checked

# build_release PRODUCT…: each in the release build that all tools share, so that one after the first compiles its own files
# only; they then lie in $programs. What the compiler says is shown where it fails.
programs=
build_release() {
    local product log
    require_swift
    log=$(mktemp "${TMPDIR:-/tmp}/build.XXXXXX")
    for product in "$@"; do
        say "Building $product; the first release build takes some minutes"
        swift build -c release --disable-build-manifest-caching --product "$product" >"$log" 2>&1 || {
            tail -n 40 "$log" >&2
            rm -f "$log"
            die "$product does not build."
        }
    done
    rm -f "$log"
    # shellcheck disable=SC2034 # The scripts that source this read it.
    programs=$(swift build -c release --show-bin-path)
}
