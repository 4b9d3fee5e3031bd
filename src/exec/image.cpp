#include "exec/image.h"

namespace carry::exec {

uint32_t* texel_word(Machine&, const Address&, uint32_t) { return nullptr; }

}  // namespace carry::exec
