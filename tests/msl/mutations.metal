#include <metal_stdlib>
using namespace metal;
struct P { float4 a; uint n; packed_float3 q; };
struct VIn { float3 p [[attribute(0)]]; };
struct VOut { float4 pos [[position]]; float2 uv [[user(locn0)]]; uint id [[user(locn1)]] [[flat]]; };
struct FOut { float4 c [[color(0)]]; float d [[depth(any)]]; };
constant float tab[2] = { 1.0, 2.0 };
float fd(device float* p) { return *p; }
float fc(constant P& p) { return p.a.x; }
void ft(thread float& p) { p = 1.0; }
uint fg(threadgroup uint* p, uint i) { return p[i]; }
kernel void k(device P* b [[buffer(0)]], constant P& u [[buffer(1)]], device atomic_uint* at [[buffer(2)]], texture2d<float> t [[texture(0)]], texture2d<float, access::write> w [[texture(1)]], uint3 g [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {
  threadgroup uint sh[64];
  P x = u; float4 v = b[g.x].a; float s = tab[l & 1u]; uint n = 3u; int i = 1; bool4 bb = v < float4(0.0);
  sh[l] = n; threadgroup_barrier(mem_flags::mem_threadgroup);
  ft(s); v.xy = v.yx + fd((device float*)b) + fc(u); n += fg(sh, l); n += mulhi(n, 5u); v = select(v, float4(1.0), bb);
  n += atomic_fetch_add_explicit(at, 1u, memory_order_relaxed);
  v += t.read(uint2(g.xy), 0); w.write(v, uint2(g.xy)); v = clamp(v, 0.0, 1.0); s = min(s, 1.0);
  /*X*/
  b[g.x].a = v + float4(s) + float(n) + float(i); b[g.x].q = v.xyz; b[g.x] = x;
}
vertex VOut vm(VIn in [[stage_in]], uint vid [[vertex_id]], constant P& u [[buffer(0)]]) { VOut o; o.pos = float4(in.p, 1.0) + u.a; o.uv = in.p.xy; o.id = vid; return o; }
fragment FOut fm(VOut in [[stage_in]], texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]]) { FOut o; o.c = t.sample(s, in.uv) + dfdx(in.uv.x); o.d = 0.5; return o; }
