"""Blocks to the .inc files that src/ops includes."""

import re

from reader import TRAITS, TableError

OUTPUTS = ["builtin_ops.inc", "hooks.inc"]
HEADER = "// Made by tools/gen/gen.py from src/ops/builtins/*.builtins.\n"


def core_ops(ops_def):
    """name -> (operands, results, rule) of the rows of ops.def."""
    rows = {}
    for m in re.finditer(r"^OP\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),", ops_def, re.M):
        rows[m[1]] = (m[2], m[3], m[4])
    return rows


def fail(block, what, line=None):
    raise TableError(f"{block.path}:{line or block.line}: {what}")


def type_rule(sig):
    """How the first result follows from the operands; `special`: builtins::result_type knows the signature."""
    if not sig.results:
        return "none"
    if sig.params:
        first, result = sig.params[0].pattern, sig.results[0]
        if len(sig.results) == 1 and first == result:
            return "same0"
        if len(sig.results) == 1 and result.scalar == "bool" and result.shape == first.shape == "vec":
            return "bool0"
    return "special"


def op_rows(blocks, core):
    lines, names = [], set(core)
    for b in blocks:
        if b.kind != "builtin":
            continue
        if b.name in names:
            fail(b, f"operation `{b.name}` exists already")
        names.add(b.name)
        if not b.sig:
            fail(b, f"`{b.name}` has no `sig`")
        traits = " | ".join(TRAITS[t] for t in b.traits) or "kNone"
        lines.append(f"BUILTIN_OP({b.name}, {len(b.sig.params)}, {len(b.sig.results)}, {type_rule(b.sig)}, {traits})")
    return HEADER + "\n".join(lines) + "\n"


def hook_names(blocks):
    return sorted({f.lower for b in blocks for f in b.froms if f.lower})


def hooks(blocks):
    return HEADER + "".join(f"LOWER_HOOK({h})\n" for h in hook_names(blocks))


def emit(blocks, ops_def):
    core = core_ops(ops_def)
    return {"builtin_ops.inc": op_rows(blocks, core), "hooks.inc": hooks(blocks)}
