#include "exec/decode.h"
#include "exec/image.h"

namespace carry::exec {

void Decoder::decode_image(ir::InstId id, const ir::Inst& inst) {
  fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` yet");
}

}  // namespace carry::exec
