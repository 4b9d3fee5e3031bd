// Histogram of an image's luma: a bin count per level, and the sum of all lumas as a float kept in bits.
Texture2D<float4> Image : register(t0);
RWStructuredBuffer<uint> Bins : register(u1);
RWStructuredBuffer<uint> Total : register(u2);

static const float3 kLuma = float3(0.25, 0.5, 0.25);

// HLSL has no float add on memory: exchange bits until nobody came in between.
void AddFloat(uint index, float value) {
  uint seen = Total[index];
  uint before;
  do {
    before = seen;
    InterlockedCompareExchange(Total[index], before, asuint(asfloat(before) + value), seen);
  } while (seen != before);
}

[numthreads(16, 16, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint width, height;
  Image.GetDimensions(width, height);
  if (id.x >= width || id.y >= height) return;
  float luma = dot(Image.Load(int3(id.xy, 0)).rgb, kLuma);
  InterlockedAdd(Bins[min(uint(luma * 256.0), 255u)], 1u);
  AddFloat(0, luma);
}
