#!/bin/bash
# Puts what runs and validates SPIR-V and WGSL into .tools/exec: Dawn (node add-on), Deno (wgpu, naga), a recent
# lavapipe beside the system's own one, and vk_run. Re-runnable; 10 s and 130 MB the first time. Debian 12, amd64; the
# packages of tools/packages.txt, group run, must be installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
dest=${1:-$here/../../.tools/exec}
webgpu_version=0.6.2
deno_version=2.9.6
mkdir -p "$dest"; dest=$(cd "$dest" && pwd)

with_retries() {
  local try
  for try in 1 2 3; do if "$@"; then return 0; fi; sleep $((try * 3)); done
  return 1
}

# The binaries are inside the npm packages: install scripts are not needed. No lock file: it would name a host.
install_npm() {
  npm install --prefix "$dest" --no-save --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error \
    "webgpu@$webgpu_version" "@deno/linux-x64-glibc@$deno_version" >/dev/null
}
stamp="$dest/node_modules/.carry-$webgpu_version-$deno_version"
if [ ! -e "$stamp" ]; then
  with_retries install_npm || { echo "setup: npm install of webgpu and deno fails" >&2; exit 1; }
  find "$dest/node_modules/webgpu/dist" -mindepth 1 -maxdepth 1 ! -name linux-x64 -exec rm -rf {} +
  chmod +x "$dest/node_modules/@deno/linux-x64-glibc/deno"
  touch "$stamp"
fi

# lavapipe of bookworm-backports: one library taken out of the package, the system keeps its own Mesa. The private apt
# source is the system's own with another suite name.
fetch_lavapipe() {
  local apt="$dest/apt" options
  rm -rf "$apt" "$dest/lavapipe"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/parts" "$dest/lavapipe"
  if [ -e /etc/apt/sources.list.d/debian.sources ]; then
    awk 'BEGIN { RS = ""; ORS = "\n\n" } !/debian-security/ && /bookworm/' /etc/apt/sources.list.d/debian.sources |
      sed 's/^Suites:.*/Suites: bookworm-backports/' >"$apt/parts/backports.sources"
  else
    sed -nE '/^deb .*-security/d; s/^(deb (\[[^]]*\] )?[^ ]+) bookworm .*/\1 bookworm-backports main/p' \
      /etc/apt/sources.list >"$apt/parts/backports.list"
  fi
  options=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt/parts" -o Dir::State::lists="$apt/lists"
           -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update -qq &&
    (cd "$apt" && apt-get "${options[@]}" download -qq mesa-vulkan-drivers/bookworm-backports) &&
    dpkg-deb --fsys-tarfile "$apt"/mesa-vulkan-drivers_*.deb |
      tar xf - -C "$dest/lavapipe" --strip-components=4 ./usr/lib/x86_64-linux-gnu/libvulkan_lvp.so &&
    ! ldd "$dest/lavapipe/libvulkan_lvp.so" | grep -q 'not found'
}
if [ ! -e "$dest/lavapipe/libvulkan_lvp.so" ]; then
  with_retries fetch_lavapipe || { rm -rf "$dest/lavapipe"; echo "setup: no recent lavapipe; Dawn will have no device" >&2; exit 1; }
  rm -rf "$dest/apt"
fi
printf '{"file_format_version":"1.0.0","ICD":{"library_path":"%s","api_version":"1.4.305"}}\n' \
  "$dest/lavapipe/libvulkan_lvp.so" >"$dest/lavapipe/icd.json"

if [ -n "$(find "$here" -name "vk_*" -newer "$dest/vk_run" 2>/dev/null || echo missing)" ]; then
  "${CXX:-g++}" -std=c++17 -O1 -Wall -o "$dest/vk_run" "$here/vk_run.cpp" -lvulkan
fi
mkdir -p "$dest/xdg"; chmod 700 "$dest/xdg"
cat >"$dest/env.sh" <<EOT
export EXEC_DIR='$dest' XDG_RUNTIME_DIR='$dest/xdg' DENO_DIR='$dest/deno' DENO_NO_UPDATE_CHECK=1
export VK_ICD_FILENAMES='$dest/lavapipe/icd.json' MESA_SHADER_CACHE_DIR='$dest/shader-cache'
run_dawn() { EXEC_WEBGPU="\$EXEC_DIR/node_modules/webgpu/index.js" node '$here/gpu_run.mjs' "\$@"; }
check_dawn() { DAWN_FLAGS=backend=null run_dawn --check "\$@"; }
run_naga() { "\$EXEC_DIR/node_modules/@deno/linux-x64-glibc/deno" run -A --no-lock --no-config '$here/gpu_run.mjs' "\$@"; }
check_naga() { run_naga --check "\$@"; }
run_spirv() { "\$EXEC_DIR/vk_run" "\$@"; }
EOT
