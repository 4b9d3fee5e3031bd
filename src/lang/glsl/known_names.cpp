// Functions of GLSL that Carry does not have yet: they are answered as such, not as unknown names.
#include "check/checker.h"

namespace carry::check {
namespace {

// Words, each between two spaces.
constexpr std::string_view kFunctions =
    " addInvocationsAMD assumeEXT atomicCounter atomicCounterAdd atomicCounterAnd atomicCounterCompSwap"
    " atomicCounterDecrement atomicCounterExchange atomicCounterIncrement atomicCounterMax atomicCounterMin"
    " atomicCounterOr atomicCounterSubtract atomicCounterXor ballotARB beginInvocationInterlockARB bitcastExpectEXT"
    " clock2x32ARB clockARB clockRealtime2x32EXT clockRealtimeEXT colorAttachmentReadEXT debugPrintfEXT"
    " depthAttachmentReadEXT dotAccSatEXT dotEXT dotPacked4x8AccSatEXT EmitMeshTasksEXT EmitStreamVertex EmitVertex"
    " endInvocationInterlockARB EndPrimitive EndStreamPrimitive executeCallableEXT expectEXT float16BitsToHalf ftransform"
    " helperInvocationEXT ignoreIntersectionEXT imageAtomicLoad imageAtomicStore imageLoadLodAMD imageStoreLodAMD"
    " interpolateAtCentroid interpolateAtOffset interpolateAtSample noise1 noise2 noise3 noise4 readFirstInvocationARB"
    " readInvocationARB reportIntersectionEXT SetMeshOutputsEXT shadow1D shadow1DLod shadow1DProj shadow1DProjLod shadow2D"
    " shadow2DLod shadow2DProj shadow2DProjLod sparseImageLoadARB sparseTexelFetchARB sparseTexelFetchOffsetARB"
    " sparseTexelsResidentARB sparseTextureARB sparseTextureGatherARB sparseTextureGatherOffsetARB"
    " sparseTextureGatherOffsetsARB sparseTextureGradARB sparseTextureGradOffsetARB sparseTextureLodARB"
    " sparseTextureLodOffsetARB sparseTextureOffsetARB stencilAttachmentReadEXT subgroupPartitionNV subpassLoad"
    " terminateRayEXT texture1D texture1DLod texture1DProj texture1DProjLod texture2D texture2DGradEXT texture2DLod"
    " texture2DLodEXT texture2DProj texture2DProjLod texture2DProjLodEXT texture2DRect texture2DRectProj texture3D"
    " texture3DLod texture3DProj texture3DProjLod textureClampARB textureCube textureCubeGradEXT textureCubeLod"
    " textureCubeLodEXT textureGatherLodAMD textureGradClampARB textureGradOffsetClampARB textureOffsetClampARB"
    " traceRayEXT ";
// rayQueryProceedEXT ...: every word that starts so is a built-in of some extension.
constexpr std::string_view kFamilies[] = {"rayQuery", "hitObject", "coopMat", "coopVec", "subgroupPartitioned"};

}  // namespace

bool Checker::glsl_known_function(NodeId n, std::string_view name) {
  std::string padded(" ");
  padded.append(name).append(" ");
  bool known = kFunctions.find(padded) != std::string_view::npos;
  for (std::string_view family : kFamilies) known = known || name.substr(0, family.size()) == family;
  if (!known || !builtins::find_forms(builtins::Lang::glsl, name).empty()) return false;
  not_yet(n, std::string(name));
  fail(n);
  return true;
}

}  // namespace carry::check
