"""Blocks to the .inc files that src/ops includes."""

import re
from dataclasses import dataclass, field

from expansion import Expansion
from reader import CLASSES, FLOATS, SCALARS, SIGNED, STAGES, TEX_SHAPES, TRAITS, UNSIGNED, From, Param, Pattern, Sig, TableError, tokenize

OUTPUTS = ["builtin_ops.inc", "hooks.inc", "forms.inc", "params.inc", "extensions.inc", "form_index.inc", "expansions.inc", "target_expansions.inc",
           "op_signatures.inc", "core_signatures.inc", "spellings.inc"]
HEADER = "// Made by tools/gen/gen.py from src/ops/builtins/*.builtins.\n"
MATRIX_SHAPES = {"mat", "mat_t", "mat_sq", "mat_cn", "mat_nr", "col", "row"}
ROLES = {"s": "handle", "image": "handle", "sampler": "sampler", "at": "coord", "at_cmp": "coord_cmp", "at_proj": "coord_proj",
         "at_proj_cmp": "coord_proj_cmp", "at_lod": "coord_lod", "dest": "memory", "mem": "memory", "scope": "scope", "execution": "scope",
         **{w: w for w in ("bias lod ddx ddy offset offset0 offset1 offset2 offset3 offsets min_lod compare component sample status data mip width "
                           "height depth elements levels samples storage semantics").split()}}
CLASS_OF = {**{s: "s" for s in SIGNED}, **{s: "u" for s in UNSIGNED}, **{s: "f" for s in FLOATS}, "bool": "b"}


@dataclass
class Row:
    """An operation, as expansions need it."""
    operands: int
    results: int
    rule: str
    traits: str
    builtin: bool = False
    sig: Sig = None

    @property
    def comp(self):
        return "kComp" in self.traits


@dataclass
class Tables:
    ops: dict
    params: list = field(default_factory=list)
    exts: list = field(default_factory=list)
    expansions: list = field(default_factory=list)   # of Expansion, with the params' count
    forms: list = field(default_factory=list)        # (group key, text)
    hooks: list = field(default_factory=list)


def fail(block, what, line=None):
    raise TableError(f"{block.path}:{line or block.line}: {what}")


def count(text):
    return -1 if text == "kVar" else int(text)


def core_ops(ops_def):
    rows = {}
    for m in re.finditer(r"^OP\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*([^)]*)\)", ops_def, re.M):
        rows[m[1]] = Row(count(m[2]), count(m[3]), m[4], m[5])
    return rows


def type_rule(sig):
    """How the first result follows from the operands; `special`: op_result_types knows the signature."""
    if not sig.results:
        return "none"
    if sig.params and len(sig.results) == 1:
        first, result = sig.params[0].pattern, sig.results[0]
        if first == result:
            return "same0"
        if result.scalar == "bool" and result.shape == first.shape == "vec":
            return "bool0"
    return "special"


# ---- patterns ----

KIND = {"void": "void_"}
SCALAR_VALUE = {name: i for i, name in enumerate(SCALARS)}


def pattern_text(p):
    scalar = {"T": 0x80, "U": 0x81}.get(p.scalar, SCALAR_VALUE.get(p.scalar, 0))
    return f"{{PatternKind::{KIND.get(p.shape, p.shape)}, {scalar}, {p.size}}}"


def mask(names, order):
    return sum(1 << order.index(n) for n in set(names))


# ---- operations ----

def op_rows(blocks, ops):
    lines = []
    for b in blocks:
        if b.kind != "builtin":
            continue
        if b.name in ops:
            fail(b, f"operation `{b.name}` exists already")
        if not b.sig:
            fail(b, f"`{b.name}` has no `sig`")
        traits = " | ".join(TRAITS[t] for t in b.traits) or "kNone"
        rule = type_rule(b.sig)
        ops[b.name] = Row(len(b.sig.params), len(b.sig.results), rule, traits, True, b.sig)
        lines.append(f"BUILTIN_OP({b.name}, {len(b.sig.params)}, {len(b.sig.results)}, {rule}, {traits})")
    return "\n".join(lines) + "\n"


def signature_text(b):
    params = ", ".join(pattern_text(p.pattern) for p in b.sig.params) or "{}"
    results = ", ".join(pattern_text(p) for p in b.sig.results) or "{}"
    return f"{mask(b.scalars.get('T', []), SCALARS)}, P({params}), P({results})"


def op_signatures(blocks):
    """OP_SIGNATURE(name, mask of T, parameters, results), in the order of builtin_ops.inc."""
    return "".join(f"OP_SIGNATURE({b.name}, {signature_text(b)})\n" for b in blocks if b.kind == "builtin")


def spellings(blocks, ops):
    lines = []
    for b in blocks:
        if not b.spellings:
            continue
        if b.name not in ops:
            fail(b, f"`to` needs an operation, and `{b.name}` is none")
        s = b.spellings
        texts = ", ".join(f'"{s.get(t, "")}"' for t in ("msl", "wgsl", "glsl", "hlsl"))
        lines.append(f"SPELLING({b.name}, {s.get('spirv', 0)}, {s.get('glsl450', 0)}, {texts})")
    return "\n".join(lines) + "\n"


# ---- forms ----

def any_shape(sig):
    """HLSL: functions of a scalar or vector take matrices, component by component."""
    def change(p):
        return Pattern(p.scalar, "any") if p.shape == "vec" else p
    return Sig([Param(p.name, change(p.pattern), p.direction, p.optional) for p in sig.params], [change(p) for p in sig.results], sig.line)


def complete(b, f):
    """Fills what the block gives as default."""
    if f.sig is None:
        if b.sig is None:
            fail(b, f"`{f.name}` has no signature", f.line)
        f.sig = any_shape(b.sig) if f.lang == "hlsl" and "comp" in b.traits else b.sig
        if len(b.sig.results) > 1:
            fail(b, f"`{f.name}` must say where the results go", f.line)
    for var in ("T", "U"):
        used = any(p.scalar == var for p in [q.pattern for q in f.sig.params] + f.sig.results + ([f.owner] if f.owner else []))
        if used and var not in f.scalars:
            f.scalars[var] = [s for s in b.scalars.get(var, []) if s != "f64"]
            if not f.scalars[var]:
                fail(b, f"`{f.name}`: what may {var} be?", f.line)
    optional = False
    for p in f.sig.params:
        if optional and not p.optional:
            fail(b, f"`{f.name}`: `{p.name}` stands after an optional parameter", f.line)
        optional = p.optional
    if len(f.sig.results) > 1:
        fail(b, f"`{f.name}`: a function returns one value", f.line)


def spread_text(f, row, op):
    """Body of an expansion when scalars must become vectors for a componentwise operation; else None."""
    shapes = [p.pattern.shape for p in f.sig.params]
    wide = next((p.pattern for p in f.sig.params if p.pattern.shape in ("vec", "vec2up", "any", "fixed")), None)
    if not row.comp or wide is None or "scalar" not in shapes or not f.sig.results:
        return None
    args = [p.name if p.pattern.shape != "scalar" else f"splat<{p.pattern.scalar}.{shape_word(wide)}>({p.name})" for p in f.sig.params]
    return f"yield {op}({', '.join(args)})"


def shape_word(p):
    return {"vec": "N", "any": "S", "vec2up": "V", "fixed": str(p.size)}[p.shape]


def class_ops(b, f):
    """class -> operation."""
    if len(f.ops) == 1:
        return {c: f.ops[0] for c in CLASSES}
    if len(f.ops) % 2 or any(c not in CLASSES for c in f.ops[::2]):
        fail(b, f"`{f.name}`: `op` takes one operation, or pairs of class (s u f b) and operation", f.line)
    return dict(zip(f.ops[::2], f.ops[1::2]))


def actions(tables, b, f):
    if not (f.ops or f.lower or f.expands):
        if b.kind == "form":
            fail(b, f"`{f.name}` says nothing of what it does", f.line)
        f.ops = [b.name]
    ops = class_ops(b, f) if f.ops else {}
    for op in ops.values():
        if op not in tables.ops:
            fail(b, f"`{op}` is no operation", f.line)
    present = {CLASS_OF[s] for s in f.scalars.get("T", [])} or set(CLASSES)
    texts = []
    for c in CLASSES:
        body = f.expands.get(c, f.expands.get(""))
        op = ops.get(c)
        if c not in present:
            texts.append("{}")
        elif f.lower:
            texts.append(f"{{Action::Kind::hook, static_cast<uint16_t>(Hook::{f.lower}), Op::{op or 'count_'}}}")
        elif body is not None:
            texts.append(f"{{Action::Kind::expand, {expansion(tables, b, f, body, c)}, Op::count_}}")
        elif op:
            row = tables.ops[op]
            text = spread_text(f, row, op)
            inputs = sum(p.direction != "out" for p in f.sig.params)
            if row.operands >= 0 and row.operands != inputs:
                fail(b, f"`{f.name}` has {inputs} operands, `{op}` takes {row.operands}", f.line)
            if text:
                body = tokenize(text, b.path)[:-1]
                for t in body:
                    t.line = f.line
                texts.append(f"{{Action::Kind::expand, {expansion(tables, b, f, body, c)}, Op::count_}}")
            else:
                texts.append(f"{{Action::Kind::op, 0, Op::{op}}}")
        else:
            fail(b, f"`{f.name}` says nothing for class {c}", f.line)
    return texts


def expansion(tables, b, f, body, c):
    scalars = {k: [s for s in v if k != "T" or CLASS_OF[s] == c] for k, v in f.scalars.items()}
    try:
        e = Expansion(list(body), b.path, f.line, f.sig, scalars, tables.ops)
    except KeyError as error:
        fail(b, f"`{f.name}`: unknown word {error}", f.line)
    e.param_count = sum(p.direction != "out" for p in f.sig.params)
    for i, old in enumerate(tables.expansions):
        if same_expansion(old, e):
            return i
    tables.expansions.append(e)
    return len(tables.expansions) - 1


def same_expansion(a, b):
    return (a.literals, a.results, a.param_count) == (b.literals, b.results, b.param_count) and \
        [vars(i) for i in a.insts] == [vars(i) for i in b.insts]


def form(tables, b, f):
    complete(b, f)
    first = len(tables.params)
    for p in f.sig.params:
        direction = {"in": "in", "out": "out", "inout": "inout", "ref": "ref", "const": "constant"}[p.direction]
        role = ROLES.get(p.name, "value") if f.lower else "value"
        tables.params.append(f'{{"{p.name}", {pattern_text(p.pattern)}, Direction::{direction}, Role::{role}}}')
    patterns = [p.pattern for p in f.sig.params] + f.sig.results
    shapes = {p.shape for p in patterns}
    sizes = 15 if shapes & {"vec", "any"} else 14 if "vec2up" in shapes else 0
    if shapes & MATRIX_SHAPES:
        sizes = 15 if "mat_cn" in shapes else 0
    matrices = "true" if shapes & (MATRIX_SHAPES | {"any"}) else "false"
    first_ext = len(tables.exts)
    tables.exts += f.exts
    since, es = f.since, f.es
    if f.lang == "glsl" and not since and not es and not f.exts:
        fail(b, f"`{f.name}` is in no version and no extension", f.line)
    min_params = sum(not p.optional for p in f.sig.params)
    result = pattern_text(f.sig.results[0]) if f.sig.results else "{}"
    owner = pattern_text(f.owner) if f.owner else "{}"
    acts = ", ".join(actions(tables, b, f))
    lang = 2 if f.owner else ("glsl", "hlsl").index(f.lang)
    text = (f'{{"{f.name}", Lang::{f.lang}, {len(f.sig.params)}, {min_params}, {first}, {result}, {owner}, '
            f"{{{mask(f.scalars.get('T', []), SCALARS)}, {mask(f.scalars.get('U', []), SCALARS)}}}, {sizes}, "
            f"{matrices}, {mask(f.shapes, TEX_SHAPES)}, "
            f"{{{since}, {es}, {f.sm}, {mask(f.stages, STAGES)}, {first_ext}, {len(f.exts)}}}, {{{acts}}}}},")
    tables.forms.append(((lang, f.name), text))


def hash_bytes(text):
    """base/hash.h"""
    h = 0xCBF29CE484222325
    for c in text.encode():
        h = ((h ^ c) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return h ^ (h >> 29)


def form_index(groups):
    """Open addressing over (language, name): kSlots[i] = {first form, count}."""
    size = 1
    while size < 2 * len(groups):
        size *= 2
    slots = [None] * size
    for (lang, name), first, n in groups:
        at = (hash_bytes(name) + lang) & (size - 1)
        while slots[at]:
            at = (at + 1) & (size - 1)
        slots[at] = f"{{{first}, {n}, {lang}}},"
    lines = [f"constexpr Slot kSlots[{size}] = {{"]
    lines += [s or "{0, 0, 0}," for s in slots]
    return "\n".join(lines) + "\n};\n"


def expansions_text(tables):
    insts, refs, literals, rows = [], [], [], []
    for e in tables.expansions:
        first_literal, first_inst = len(literals), len(insts)

        def ref(r):
            kind, index = r
            return {"param": index, "temp": 0x4000 | index, "literal": 0x8000 | (index + first_literal)}[kind]

        for pattern, is_float, text in e.literals:
            integer = 0 if is_float else int(text, 0)
            number = float(text) if is_float else float(integer)
            literals.append(f"{{{pattern_text(pattern)}, {number!r}, {integer if integer < 2**63 else integer - 2**64}ll}},")
        for i in e.insts:
            results = [pattern_text(p) for p in i.results] or ["{}"]
            param, shift = i.payload_param or (255, 0)
            insts.append(f"{{Op::{i.op}, {len(i.refs)}, {len(i.results)}, {len(refs)}, {i.payload}u, {param}, {shift}, {{{', '.join(results)}}}}},")
            refs += [ref(r) for r in i.refs]
        first_result = len(refs)
        refs += [ref(r) for r in e.results]
        rows.append(f"{{{first_inst}, {len(e.insts)}, {e.param_count}, {first_result}, {len(e.results)}}},")
    text = "constexpr ExpandInst kExpandInsts[] = {\n" + "\n".join(insts) + "\n};\n"
    text += "constexpr uint16_t kExpandRefs[] = {\n" + "".join(f"{r},\n" for r in refs) + "};\n"
    text += "constexpr ExpandLiteral kExpandLiterals[] = {\n" + "\n".join(literals) + "\n};\n"
    return text + "constexpr Expansion kExpansions[] = {\n" + "\n".join(rows) + "\n};\n"


def one_component(sig):
    def cut(p):
        return Pattern(p.scalar, "scalar") if p.shape == "vec" else p
    return Sig([Param(p.name, cut(p.pattern), p.direction) for p in sig.params], [cut(p) for p in sig.results], sig.line)


def target_expansions(tables, blocks):
    """TARGET_EXPANSION(op, target, mask of T, by component, expansion)"""
    lines = []
    for b in blocks:
        for t in b.expands:
            if b.name not in tables.ops or not b.sig:
                fail(b, f"`{b.name}` needs an operation and a `sig` for its expansion")
            names = t.scalars or b.scalars.get("T", [])
            sig = one_component(b.sig) if t.by_component else b.sig
            stub = From("", b.name, b.line, b.path, sig, scalars={"T": names} if names else {})
            classes = sorted({CLASS_OF[s] for s in names}) or ["u"]
            if len(classes) != 1:
                fail(b, f"the expansion of `{b.name}` is for one class of T")
            index = expansion(tables, b, stub, t.body, classes[0])
            for target in t.targets:
                lines.append(f"TARGET_EXPANSION({b.name}, {target}, {mask(names, SCALARS)}, {'true' if t.by_component else 'false'}, {index})")
    return "\n".join(lines) + "\n"


def core_signatures(blocks):
    return "".join(f"CORE_SIGNATURE({b.name}, {signature_text(b)})\n" for b in blocks if b.kind == "core" and b.sig)


def emit(blocks, ops_def):
    tables = Tables(core_ops(ops_def))
    rows = op_rows(blocks, tables.ops)
    for b in blocks:
        if b.kind == "core" and b.name not in tables.ops:
            fail(b, f"`{b.name}` is no operation of ops.def")
        for f in b.froms:
            form(tables, b, f)
    targets = target_expansions(tables, blocks)
    tables.forms.sort(key=lambda f: f[0])
    groups = []
    for i, (key, _) in enumerate(tables.forms):
        if not groups or groups[-1][0] != key:
            groups.append([key, i, 0])
        groups[-1][2] += 1
    hooks = sorted({f.lower for b in blocks for f in b.froms if f.lower})
    texts = {
        "builtin_ops.inc": rows,
        "hooks.inc": "".join(f"LOWER_HOOK({h})\n" for h in hooks),
        "forms.inc": "\n".join(t for _, t in tables.forms) + "\n",
        "params.inc": "\n".join(p + "," for p in tables.params) + "\n",
        "extensions.inc": "".join(f'"{e}",\n' for e in tables.exts),
        "form_index.inc": form_index(groups),
        "expansions.inc": expansions_text(tables),
        "target_expansions.inc": targets,
        "op_signatures.inc": op_signatures(blocks),
        "core_signatures.inc": core_signatures(blocks),
        "spellings.inc": spellings(blocks, tables.ops),
    }
    return {name: HEADER + text for name, text in texts.items()}
