// What the driver calls for one target: refuse what it has no way to say, plan, run the passes, look again.
#pragma once

#include "base/result.h"
#include "pass/pass.h"
#include "target/target.h"

namespace carry::target {

[[nodiscard]] pass::PassConfig pass_config(const Target& target);

/// Reports features that the target rejects, at the place of their first use; true when there is none.
[[nodiscard]] bool check_rejects(const ir::Module& module, const ir::Scan& scan, const Target& target, Emitter* diags);

/// Brings `module` (the target's own copy) to what the writer takes. False: errors are in `diags`. A feature that the target
/// lacks and that no pass removes yet is the error `not_supported_yet`, never silence.
[[nodiscard]] Result<bool> prepare(ir::Module& module, const Target& target, uint32_t level, Emitter* diags,
                                   const pass::RunOptions& options = {});

}  // namespace carry::target
