#include "exec/lanes.h"

namespace carry::exec {

Handler lane_handler(Op) { return nullptr; }

}  // namespace carry::exec
