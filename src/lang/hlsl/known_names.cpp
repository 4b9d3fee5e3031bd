// Functions and methods of HLSL that Carry does not have yet: they are answered as such, not as unknown names.
#include "check/checker.h"

namespace carry::check {
namespace {

// Words, each between two spaces.
constexpr std::string_view kFunctions =
    " abort AcceptHitAndEndSearch AllocateRayQuery AllMemoryBarrier Barrier CallShader CheckAccessFullyMapped DebugBreak"
    " D3DCOLORtoUBYTE4 DispatchMesh DispatchRaysDimensions DispatchRaysIndex errorf EvaluateAttributeAtCentroid"
    " EvaluateAttributeAtSample EvaluateAttributeCentroid EvaluateAttributeSnapped GeometryIndex GetAttributeAtVertex"
    " GetRemainingRecursionLevels GetRenderTargetSampleCount GetRenderTargetSamplePosition HitKind IgnoreHit InstanceID"
    " InstanceIndex InterlockedCompareExchangeFloatBitwise InterlockedCompareStoreFloatBitwise IsDebuggerPresent noise"
    " ObjectRayDirection ObjectRayOrigin ObjectToWorld ObjectToWorld3x4 ObjectToWorld4x3 PrimitiveIndex printf"
    " Process2DQuadTessFactorsAvg Process2DQuadTessFactorsMax Process2DQuadTessFactorsMin ProcessIsolineTessFactors"
    " ProcessQuadTessFactorsAvg ProcessQuadTessFactorsMax ProcessQuadTessFactorsMin ProcessTriTessFactorsAvg"
    " ProcessTriTessFactorsMax ProcessTriTessFactorsMin RayFlags RayTCurrent RayTMin ReportHit SetMeshOutputCounts"
    " tex1D tex1Dbias tex1Dgrad tex1Dlod tex1Dproj tex2D tex2Dbias tex2Dgrad tex2Dlod tex2Dproj tex3D tex3Dbias tex3Dgrad"
    " tex3Dlod tex3Dproj texCUBE texCUBEbias texCUBEgrad texCUBElod texCUBEproj TraceRay TriangleObjectPositions"
    " VkRawBufferLoad VkRawBufferStore WaveMultiPrefixBitAnd WaveMultiPrefixBitOr WaveMultiPrefixBitXor"
    " WaveMultiPrefixCountBits WaveMultiPrefixProduct WaveMultiPrefixSum WorldRayDirection WorldRayOrigin WorldToObject"
    " WorldToObject3x4 WorldToObject4x3 ";
constexpr std::string_view kMethods =
    " Abort CandidateGeometryIndex CandidateInstanceContributionToHitGroupIndex CandidateInstanceID CandidateInstanceIndex"
    " CandidateObjectRayDirection CandidateObjectRayOrigin CandidateObjectToWorld3x4 CandidateObjectToWorld4x3"
    " CandidatePrimitiveIndex CandidateProceduralPrimitiveNonOpaque CandidateTriangleBarycentrics"
    " CandidateTriangleFrontFace CandidateTriangleRayT CandidateType CandidateWorldToObject3x4 CandidateWorldToObject4x3"
    " CommitNonOpaqueTriangleHit CommitProceduralPrimitiveHit CommittedGeometryIndex"
    " CommittedInstanceContributionToHitGroupIndex CommittedInstanceID CommittedInstanceIndex CommittedObjectRayDirection"
    " CommittedObjectRayOrigin CommittedObjectToWorld3x4 CommittedObjectToWorld4x3 CommittedPrimitiveIndex CommittedRayT"
    " CommittedStatus CommittedTriangleBarycentrics CommittedTriangleFrontFace CommittedWorldToObject3x4"
    " CommittedWorldToObject4x3 FinishedCrossGroupSharing GatherRaw Get GetGroupNodeOutputRecords GetSamplePosition"
    " GetThreadNodeOutputRecords IncrementOutputCount InterlockedAdd64 InterlockedAnd64 InterlockedCompareExchange64"
    " InterlockedCompareExchangeFloatBitwise InterlockedCompareStore64 InterlockedCompareStoreFloatBitwise"
    " InterlockedExchange64 InterlockedExchangeFloat InterlockedMax64 InterlockedMin64 InterlockedOr64 InterlockedXor64"
    " IsValid OutputComplete Proceed RayFlags RayTMin RestartStrip SubpassLoad TraceRayInline WorldRayDirection"
    " WorldRayOrigin WriteSamplerFeedback WriteSamplerFeedbackBias WriteSamplerFeedbackGrad WriteSamplerFeedbackLevel ";

bool holds(std::string_view list, std::string_view word) {
  std::string padded(" ");
  padded.append(word).append(" ");
  return list.find(padded) != std::string_view::npos;
}

}  // namespace

bool Checker::hlsl_special_call(NodeId n, std::string_view name) {
  if (!holds(kFunctions, name) || !builtins::find_forms(builtins::Lang::hlsl, name).empty()) return false;
  not_yet(n, std::string(name));
  fail(n);
  return true;
}

bool Checker::hlsl_known_method(std::string_view name) const { return holds(kMethods, name); }

}  // namespace carry::check
