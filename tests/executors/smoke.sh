#!/bin/bash
# Smoke test of the executors: smoke.sh DEST (the folder that setup.sh filled). Ends with "N passed, N failed".
dest=$(cd "$1" && pwd) && cd "$(dirname "$0")/samples" && source "$dest/env.sh" || exit 2
pass=0 fail=0
t() { # name, text that the output must contain, command...
  local n=$1 want=$2 got; shift 2; got=$("$@" 2>/dev/null)
  if [[ $got == *"$want"* ]]; then pass=$((pass + 1)); else fail=$((fail + 1)); echo "FAIL $n: ${got:0:400}"; fi
}
spv=$(mktemp -d); trap 'rm -rf "$spv"' EXIT
for s in fadd i64 texture image; do glslangValidator -V --target-env vulkan1.3 $s.comp -o "$spv/$s.spv" >/dev/null && spirv-val --target-env vulkan1.3 "$spv/$s.spv"; done
ones=f:1$(printf ',1%.0s' {2..256}); J="-d 4 -r 0:0=$ones -s 0:1=zero:16"   # 256 = 0x43800000
t tint-ok '"ok":true' check_dawn fadd.wgsl fadd_ptr.wgsl subgroup_f16.wgsl
t tint-error "returned 'f32', expected 'u32'" check_dawn bad.wgsl
t naga-ok '"ok":true' check_naga fadd.wgsl subgroup_f16.wgsl
t naga-error 'does not match the declared return type' check_naga bad.wgsl
t naga-ptr "which can't be passed into functions" check_naga fadd_ptr.wgsl
t dawn-run '"0:1":"00008043' run_dawn "fadd.wgsl $J"
t naga-run '"0:1":"00008043' run_naga "fadd.wgsl $J"
t spirv-run '"0:1":"00008043' run_spirv "$spv/fadd.spv $J"
t dawn-subgroup '"0:0":"686d0000' run_dawn 'subgroup_f16.wgsl -d 1 -s 0:0=zero:64'
t naga-subgroup '"0:0":"686d0000' run_naga 'subgroup_f16.wgsl -d 1 -s 0:0=zero:64'
t spirv-int64 '"0:0":"00000000403f00000000c04200007c42555555555515b542' run_spirv "$spv/i64.spv -d 1 -s 0:0=zero:48"
T='-d 1 -t 0:0=2x2:h:ff000000804020ff00ff0080000000ff -m 0:2=linear -s 0:1=zero:80' texel=8180003f8180803e8180003e0000803f  # texel (1, 0)
t dawn-texture "$texel" run_dawn "texture.wgsl $T"
t naga-texture "$texel" run_naga "texture.wgsl $T"
t spirv-texture "$texel" run_spirv "$spv/texture.spv $T"
D="-g 8x8:3 -v 0=3:f:-1,-1,0,1,-1,0,-1,1,0 -v 1=2:f:0,0,1,0,0,1 -t 0:0=2x2:h:ff0000ff00ff00ff0000ffffffffffff -m 0:1=linear -u 0:2=f:1,1,1,0.5"
for s in vert frag; do glslangValidator -V triangle.$s -o "$spv/$s.spv" >/dev/null; done
t dawn-draw "$(run_spirv "$spv/vert.spv,$spv/frag.spv $D" | grep -o "\"pixels.*")" run_dawn "triangle.wgsl -e vs,fs $D"
t naga-draw "$(run_spirv "$spv/vert.spv,$spv/frag.spv $D" | grep -o "\"pixels.*")" run_naga "triangle.wgsl -e vs,fs $D"
I="-d 1 -i 0:0=4x2:r32ui:u:1,1,1,1,1,1,1,1" image=010000000200000003000000040000000b0000000c0000000d
t dawn-image $image run_dawn "image.wgsl $I"
t naga-image $image run_naga "image.wgsl $I"
t spirv-image $image run_spirv "$spv/image.spv $I"
echo "$pass passed, $fail failed"; [ $fail = 0 ]
