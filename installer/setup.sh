# Shared by ./start and ./check: what must be installed, and building. Sourced, never run.
# Expects $ROOT; offers say, fail, install_packages, build.

BUILD_PACKAGES=(g++ cmake ninja-build ccache mold pkg-config
    qt6-base-dev qt6-base-dev-tools qt6-charts-dev libqt6opengl6-dev qt6-tools-dev qt6-tools-dev-tools qt6-l10n-tools
    qt6-svg-dev libqt6svg6 libgl-dev
    libtorch-dev libopenblas0-openmp libdnnl-dev libvulkan-dev glslc
    libboost1.81-dev nlohmann-json3-dev libspdlog-dev libfmt-dev libcli11-dev
    libsoci-dev libsqlite3-dev libssl-dev libsodium-dev libzstd-dev libcurl4-openssl-dev libsentencepiece-dev
    libxcb1-dev libxcb-screensaver0-dev libseccomp-dev)
START_PACKAGES=(bible-kjv bible-kjv-text curl jq fonts-dejavu-core)
CHECK_PACKAGES=(bible-kjv bible-kjv-text curl jq python3 clang-format
    mesa-vulkan-drivers vulkan-validationlayers
    xvfb openbox trayer xdotool imagemagick x11-utils dbus python3-dbusmock chromium fonts-dejavu-core)

# Objects of one checkout serve another one.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\n%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

installed() { dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed; }

# install_packages NAME…: installs with apt what is missing, and says so before.
install_packages() {
    command -v dpkg-query >/dev/null || fail "this script installs what it needs with apt and runs on Debian 12 or a recent Ubuntu only"
    local missing=() package
    for package in "$@"; do installed "$package" || missing+=("$package"); done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "these packages are missing and only root may install them: ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing with apt: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -qq || fail "apt-get update failed; is the network up?"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        fail "apt-get could not install: ${missing[*]}"
}

# build [TARGET…]: configures and builds the release preset; without targets, everything.
build() {
    say "Building in build/release (the first time takes some minutes)"
    (cd "$ROOT" && cmake --preset release >"$ROOT/.configure.log" 2>&1) ||
        { tail -n 20 "$ROOT/.configure.log" >&2; fail "CMake could not configure the build; its last lines are above"; }
    rm -f "$ROOT/.configure.log"
    local targets=()
    [ $# -gt 0 ] && targets=(--target "$@")
    cmake --build "$ROOT/build/release" "${targets[@]}" || fail "the build failed; the compiler's message is above"
}
