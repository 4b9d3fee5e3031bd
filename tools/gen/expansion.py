"""Type-checks the bodies of expansions and turns them into a flat list of operations (src/ops/expand.h).

  body      statement* `yield` expression (`,` expression)*
  statement name (`,` name)* `=` expression
  expression name | number [`:` type] | true | false | op [`.` variant] [`<` type or words `>`] `(` expression, ... `)`
"""

from reader import FLOATS, SIGNED, UNSIGNED, Pattern, Reader, Token

VARIANTS = {"x0": 1, "ones": 2, "raw": 3}
SCOPES = {"invocation": 0, "subgroup": 1, "workgroup": 2, "queue_family": 3, "device": 4}
SPACES = {"storage": 1, "shared": 2, "image": 4, "all": 7}
SUBGROUP_OPS = ["add", "mul", "smin", "umin", "fmin", "smax", "umax", "fmax", "and_", "or_", "xor_", "fadd", "fmul"]
SUBGROUP_FORMS = ["reduce", "inclusive", "exclusive"]
SHIFTS = ("shl", "lshr", "ashr")
BIT_FIELDS = ("extract_bits_s", "extract_bits_u", "insert_bits")
BOOL = Pattern("bool", "scalar")
U32 = Pattern("u32", "scalar")


def scalar_of(p, scalar):
    """The pattern with another scalar."""
    return Pattern(scalar, p.shape, p.size)


def classes_of(pattern, scalars):
    """Which classes the scalar of a pattern can be, given what T and U stand for."""
    names = scalars.get(pattern.scalar, [pattern.scalar])
    return {"s" if n in SIGNED else "u" if n in UNSIGNED else "f" if n in FLOATS else "b" for n in names}


class Literal:
    def __init__(self, token, pattern=None):
        self.token, self.pattern = token, pattern


class Inst:
    def __init__(self, op, refs, results, payload, payload_param):
        self.op, self.refs, self.results, self.payload, self.payload_param = op, refs, results, payload, payload_param


class Expansion:
    """insts, literals [(pattern, is_float, text)], results [ref]. A ref is ('param'|'temp'|'literal', index)."""

    def __init__(self, tokens, path, line, sig, scalars, ops):
        self.reader = Reader("", path)
        self.reader.tokens = tokens + [Token("", "end", tokens[-1].line if tokens else line)]
        self.ops, self.scalars = ops, scalars
        self.insts, self.literals, self.results = [], [], []
        self.temp_count = 0
        self.names = {}
        for i, p in enumerate(q for q in sig.params if q.direction != "out"):
            self.names[p.name] = (("param", i), self.known(p.pattern))
        self.param_names = {p.name: i for i, p in enumerate(q for q in sig.params if q.direction != "out")}
        wanted = sig.results + [p.pattern for p in sig.params if p.direction in ("out", "inout")]
        self.parse([self.known(p) for p in wanted])

    def known(self, p):
        """A variable that can be one scalar only is that scalar."""
        names = self.scalars.get(p.scalar, [])
        return scalar_of(p, names[0]) if len(names) == 1 else p

    def fail(self, what):
        self.reader.fail(what)

    def parse(self, wanted):
        r = self.reader
        while r.peek().kind != "end" and r.peek().text != "yield":
            start = r.at
            names = [r.word("a name")]
            while r.accept(","):
                names.append(r.word("a name"))
            if not r.accept("="):
                r.at = start
                self.call_values()
                continue
            values = self.call_values() if len(names) > 1 else [self.expression(None)]
            if len(values) != len(names):
                self.fail(f"{len(values)} results for {len(names)} names")
            for n, v in zip(names, values):
                self.names[n] = v
        if not wanted and r.peek().kind == "end":
            return
        r.expect("yield")
        for i, want in enumerate(wanted):
            if i:
                r.expect(",")
            ref, pattern = self.expression(want)
            if pattern != want:
                self.fail(f"result {i + 1} is {pattern}, wanted {want}")
            self.results.append(ref)
        if r.peek().kind != "end":
            self.fail(f"`{r.peek().text}` after the last result")

    # ---- expressions ----

    def expression(self, want):
        """(ref, pattern). `want` types a literal."""
        value = self.value()
        if isinstance(value, Literal):
            value = self.literal(value, want)
        return value

    def literal(self, lit, want):
        pattern = lit.pattern or want
        if pattern is None:
            self.fail(f"the type of `{lit.token.text}` is not known here: write `{lit.token.text}:type`")
        text = lit.token.text
        is_float = "." in text or ("e" in text and not text.startswith("0x"))
        kinds = classes_of(pattern, self.scalars)
        if is_float and kinds - {"f"}:
            self.fail(f"`{text}` for a type that is not always a float")
        if text in ("true", "false") and kinds != {"b"}:
            self.fail(f"`{text}` for a type that is not bool")
        key = (pattern, is_float, {"true": "1", "false": "0"}.get(text, text))
        if key not in self.literals:
            self.literals.append(key)
        return ("literal", self.literals.index(key)), pattern

    def value(self):
        r = self.reader
        t = r.peek()
        if t.kind in ("number", "hex") or t.text in ("true", "false"):
            r.take()
            return Literal(t, self.known(r.pattern()) if r.accept(":") else None)
        if r.peek(1).text in ("(", "<", ".") and r.peek(1).kind == "punct":
            values = self.call_values()
            if len(values) != 1:
                self.fail(f"`{t.text}` has {len(values)} results")
            return values[0]
        name = r.word("a value")
        if name not in self.names:
            self.fail(f"`{name}` is not defined")
        return self.names[name]

    def call_values(self):
        r = self.reader
        op = r.word("an operation")
        words, named, payload, payload_param = [], None, 0, None
        if op == "splat":
            op = "make"
        while r.accept("."):
            words.append(r.word("a variant"))
        if op not in self.ops and op + "_" in self.ops:
            op += "_"
        if op not in self.ops:
            self.fail(f"`{op}` is no operation")
        if r.accept("<"):
            if op == "barrier":
                words = [r.word("a scope")]
                while r.accept(","):
                    words.append(r.word("a scope or space"))
            else:
                named = self.known(r.pattern())
            r.expect(">")
        r.expect("(")
        args = []
        while not r.accept(")"):
            args.append(self.value())
            if not r.accept(","):
                r.expect(")")
                break
        payload, payload_param, args = self.payload(op, words, args)
        return self.emit(op, args, named, payload, payload_param)

    def payload(self, op, words, args):
        if op == "barrier":
            spaces = sum(SPACES[w] for w in words[2:])
            return SCOPES[words[0]] | SCOPES[words[1]] << 4 | 3 << 8 | spaces << 12, None, args
        if op == "subgroup":
            name = words[0] if words[0] in SUBGROUP_OPS else words[0] + "_"
            if name not in SUBGROUP_OPS or words[1] not in SUBGROUP_FORMS:
                self.fail(f"`{'.'.join(words)}` is no subgroup operation")
            cluster = (self.param_of(args[1]), 16) if len(args) > 1 else None
            return SUBGROUP_OPS.index(name) | SUBGROUP_FORMS.index(words[1]) << 8, cluster, args[:1]
        if op == "subgroup_rotate" and len(args) > 2:
            return 0, (self.param_of(args[2]), 0), args[:2]
        if op == "read_clock":
            return SCOPES[words[0]], None, args
        if op == "shuffle":
            lanes = [int(a.token.text) for a in args[2:]]
            return sum(c << 4 * i for i, c in enumerate(lanes)), None, args[:2]
        if words:
            if len(words) != 1 or words[0] not in VARIANTS:
                self.fail(f"`{words[0]}` is no variant")
            return VARIANTS[words[0]], None, args
        return 0, None, args

    def param_of(self, arg):
        if isinstance(arg, Literal) or arg[0][0] != "param":
            self.fail("only a parameter can be a payload")
        return arg[0][1]

    def emit(self, op, args, named, payload, payload_param):
        row = self.ops[op]
        if row.operands >= 0 and len(args) != row.operands:
            self.fail(f"`{op}` takes {row.operands} operands, not {len(args)}")
        known = [a.pattern if isinstance(a, Literal) else a[1] for a in args]
        wants, results = self.signature(op, row, known, named)
        refs = []
        for i, a in enumerate(args):
            if isinstance(a, Literal):
                a = self.literal(a, wants[i])
            elif wants[i] is not None and a[1] != wants[i]:
                self.fail(f"operand {i + 1} of `{op}` is {a[1]}, wanted {wants[i]}")
            refs.append(a[0])
            self.check_class(op, row, i, a[1])
        self.insts.append(Inst(op, refs, results, payload, payload_param))
        values = []
        for p in results:
            values.append((("temp", self.temp_count), p))
            self.temp_count += 1
        return values

    def check_class(self, op, row, i, pattern):
        if i and op in SHIFTS + BIT_FIELDS + ("ldexp",) or not row.comp or row.builtin:
            return
        kinds = classes_of(pattern, self.scalars)
        for trait, kind in (("kSigned", "s"), ("kUnsigned", "u"), ("kFloat", "f")):
            if trait in row.traits and kinds != {kind}:
                self.fail(f"`{op}` on a type that may be of class {' '.join(sorted(kinds))}")

    def signature(self, op, row, known, named):
        """Wanted operand patterns (None: any) and the results'."""
        if row.sig:
            return self.builtin_signature(op, row, known)
        first = next((p for p in known if p is not None), None)
        count = len(known)
        if row.rule == "named":
            if named is None and op == "make" and count == 1:
                self.fail("write `splat<type>(...)`")
            if named is None:
                self.fail(f"`{op}` needs `<type>`")
            return known, [named]
        if op == "select":
            of = known[1] or known[2]
            return [known[0], of, of], [of]
        if op in ("any", "all"):
            return known, [BOOL]
        if op == "elem":
            if known[0].shape in ("mat", "mat_sq"):
                return [known[0], U32], [Pattern(known[0].scalar, "col" if known[0].shape == "mat" else "row")]
            return [known[0], U32], [Pattern(known[0].scalar, "scalar")]
        if op in ("uadd_carry", "usub_borrow"):
            return [first] * 2, [first, scalar_of(first, "bool")]
        if op in ("umul_extended", "smul_extended"):
            return [first] * 2, [first, first]
        if op == "subgroup":
            return known, [first]
        if op in SHIFTS:
            of = known[0] or self.fail("a shifted literal needs a type")
            return [of, scalar_of(of, "u32")], [of]
        if op in BIT_FIELDS:
            values = count - 2
            return [first] * values + [U32, U32], [first]
        if op.startswith("atomic_"):
            old = [] if op == "atomic_store" else [first]
            return known, old
        if row.rule == "same0":
            return [first] * count, [first]
        if row.rule == "bool0":
            return [first] * count, [scalar_of(first, "bool")]
        if row.rule == "none":
            return known, []
        if op == "is_helper":
            return known, [BOOL]
        return self.fail(f"`{op}` cannot be used in an expansion")

    def builtin_signature(self, op, row, known):
        """Binds T and the shapes of the operation's own signature to the patterns of the operands."""
        holes = {}
        for p, k in zip(row.sig.params, known):
            if k is None:
                continue
            p = p.pattern
            if p.scalar in ("T", "U"):
                holes.setdefault(p.scalar, k.scalar)
            if p.shape in ("vec", "mat_sq", "mat", "col", "row"):
                holes.setdefault(p.shape, (k.shape, k.size))
                if p.shape == "mat_sq" and k.shape == "mat_sq":
                    holes.setdefault("row", ("row", 0))

        def fill(p):
            scalar = holes.get(p.scalar, p.scalar)
            shape, size = holes.get(p.shape, (p.shape, p.size))
            return Pattern(scalar, shape, size)

        return [fill(p.pattern) for p in row.sig.params], [fill(p) for p in row.sig.results]
