"""Reads .builtins files into blocks. The syntax is described in docs/how-to/add-a-builtin.md."""

import re
from dataclasses import dataclass, field

# in the order of ObjectKind in types/types.h
OBJECT_KINDS = ["", "constant_buffer", "texture_buffer", "structured_buffer", "rw_structured_buffer", "append_buffer", "consume_buffer",
                "byte_address_buffer", "rw_byte_address_buffer", "rov_structured_buffer", "rov_byte_address_buffer"]
SCALARS = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["u8", "u16", "u32", "u64"]
FLOATS = ["f16", "f32", "f64"]
SCALAR_SETS = {"any": SCALARS, "signed": SIGNED, "unsigned": UNSIGNED, "ints": SIGNED + UNSIGNED, "floats": FLOATS,
               "numbers": SIGNED + UNSIGNED + FLOATS}
TRAITS = {"pure": "kPure", "comp": "kComp", "comm": "kComm", "float": "kFloat", "signed": "kSigned", "unsigned": "kUnsigned",
          "variant": "kVariant", "read": "kRead", "write": "kWrite", "lanes": "kLanes", "derivative": "kDerivative",
          "inexact": "kInexact", "image": "kImage", "atomic": "kAtomic", "barrier": "kBarrier"}
STAGES = ["vertex", "tess_control", "tess_eval", "geometry", "fragment", "compute", "mesh", "task", "raygen", "intersection",
          "any_hit", "closest_hit", "miss", "callable"]
TEX_SHAPES = ["1d", "1d_array", "2d", "2d_array", "2d_ms", "2d_ms_array", "3d", "cube", "cube_array", "buffer", "rect", "subpass",
              "subpass_ms"]
CLASSES = ["s", "u", "f", "b"]
BLOCK_WORDS = ("builtin", "core", "form")
ITEM_WORDS = ("sig", "T", "U", "traits", "from", "to", "doc", "D")

TOKEN = re.compile(r'\s+|#[^\n]*|(?P<string>"[^"\n]*")|(?P<arrow>->)|(?P<number>-?\d+(?:\.\d+)?(?:e[-+]?\d+)?\b(?![A-Za-z_]))|(?P<hex>0x[0-9a-fA-F]+)'
                   r'|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<shape>\d+[a-z][a-z_0-9]*)|(?P<punct>[()<>{},:.=?*;])')


class TableError(Exception):
    pass


@dataclass
class Token:
    text: str
    kind: str
    line: int


@dataclass(frozen=True)
class Pattern:
    """A type with holes. shape: scalar vec any fixed2.. mat mat_t mat_sq col row square_vec, or a handle or coordinate word."""
    scalar: str
    shape: str
    size: int = 0


@dataclass
class Param:
    name: str
    pattern: Pattern
    direction: str = "in"
    optional: bool = False


@dataclass
class Sig:
    params: list
    results: list
    line: int


@dataclass
class From:
    lang: str
    name: str
    line: int
    path: str
    sig: Sig = None
    owner: Pattern = None
    scalars: dict = field(default_factory=dict)   # T, U -> list of scalar names
    shapes: list = field(default_factory=list)    # D
    since: int = 0
    es: int = 0
    sm: int = 0
    exts: list = field(default_factory=list)
    stages: list = field(default_factory=list)
    ops: list = field(default_factory=list)       # one or one a class
    lower: str = ""
    expands: dict = field(default_factory=dict)   # class or "" -> list of tokens


@dataclass
class TargetExpand:
    targets: list
    scalars: list        # of T; empty: those of the block
    by_component: bool   # the body is for one component
    body: list


@dataclass
class Block:
    kind: str
    name: str
    path: str
    line: int
    sig: Sig = None
    scalars: dict = field(default_factory=dict)
    traits: list = field(default_factory=list)
    froms: list = field(default_factory=list)
    spellings: dict = field(default_factory=dict)
    expands: list = field(default_factory=list)   # TargetExpand
    doc: str = ""


def tokenize(text, path):
    tokens, at, line = [], 0, 1
    while at < len(text):
        m = TOKEN.match(text, at)
        if not m:
            raise TableError(f"{path}:{line}: unexpected character {text[at]!r}")
        if m.lastgroup:
            tokens.append(Token(m.group(), m.lastgroup, line))
        line += m.group().count("\n")
        at = m.end()
    tokens.append(Token("", "end", line))
    return tokens


class Reader:
    def __init__(self, text, path):
        self.path = path
        self.tokens = tokenize(text, path)
        self.at = 0

    def fail(self, what, line=None):
        raise TableError(f"{self.path}:{line or self.peek().line}: {what}")

    def peek(self, ahead=0):
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self):
        t = self.peek()
        self.at += 1
        return t

    def accept(self, text):
        if self.peek().kind != "string" and self.peek().text == text:
            return self.take()
        return None

    def expect(self, text):
        return self.accept(text) or self.fail(f"expected `{text}`, found `{self.peek().text}`")

    def word(self, what):
        if self.peek().kind not in ("word", "shape"):
            self.fail(f"expected {what}, found `{self.peek().text}`")
        return self.take().text

    def string(self, what):
        if self.peek().kind != "string":
            self.fail(f"expected {what} in quotes, found `{self.peek().text}`")
        return self.take().text[1:-1]

    def number(self, what):
        if self.peek().kind != "number":
            self.fail(f"expected {what}, found `{self.peek().text}`")
        return self.take().text

    # ---- types ----

    def pattern(self):
        scalar = self.word("a type")
        if scalar in ("void", "sampler", "sampler_cmp", "same", "object", "string"):
            return Pattern(scalar, scalar)
        if scalar in ("offset", "grad", "coord", "icoord", "lcoord", "scoord", "size", "offsets", "texel", "counter", "element",
                      "pcoord", "combined", "shadow", "texture", "depth", "image", "buffer_image", "subpass"):
            of = "T"
            if self.accept("<"):
                of = self.word("a scalar")
                self.expect(">")
            return Pattern(of, scalar)
        if scalar in OBJECT_KINDS:
            return Pattern("object", "object", OBJECT_KINDS.index(scalar))
        if scalar not in SCALARS and scalar not in ("T", "U"):
            self.fail(f"`{scalar}` is no type")
        if not self.accept("."):
            return Pattern(scalar, "scalar")
        t = self.take()
        shapes = {"N": "vec", "S": "any", "V": "vec2up", "CxR": "mat", "RxC": "mat_t", "CxC": "mat_sq", "CxN": "mat_cn", "NxR": "mat_nr", "R": "col", "C": "row"}
        if t.text in shapes:
            return Pattern(scalar, shapes[t.text])
        if t.text in ("2", "3", "4"):
            return Pattern(scalar, "fixed", int(t.text))
        m = re.fullmatch(r"([234])x([234])", t.text)
        if m:
            return Pattern(scalar, "fixed_mat", int(m[1]) * 16 + int(m[2]))
        return self.fail(f"`{t.text}` is no shape", t.line)

    def param(self):
        direction = "in"
        while self.peek().text in ("out", "inout", "ref", "const"):
            direction = self.take().text
        name = self.word("a parameter name")
        optional = bool(self.accept("?"))
        self.expect(":")
        return Param(name, self.pattern(), direction, optional)

    def sig(self):
        line = self.expect("(").line
        params, results = [], []
        while not self.accept(")"):
            params.append(self.param())
            if not self.accept(","):
                self.expect(")")
                break
        self.expect("->")
        if self.accept("("):
            while True:
                results.append(self.pattern())
                if not self.accept(","):
                    break
            self.expect(")")
        else:
            results.append(self.pattern())
        if results and results[0].shape == "void":
            results = []
        return Sig(params, results, line)

    def words_of(self, allowed, what):
        found = []
        while self.peek().text in allowed and self.peek().kind in ("word", "shape"):
            found.append(self.take().text)
        if not found:
            self.fail(f"expected {what}, found `{self.peek().text}`")
        return found

    def scalar_set(self):
        found = []
        for w in self.words_of(SCALARS + list(SCALAR_SETS), "scalar types"):
            found += SCALAR_SETS.get(w, [w])
        return found

    def body(self):
        """Tokens between { and }."""
        self.expect("{")
        start = self.at
        while not (self.peek().kind == "punct" and self.peek().text == "}"):
            if self.peek().kind == "end":
                self.fail("`}` is missing")
            self.at += 1
        tokens = self.tokens[start:self.at]
        self.at += 1
        return tokens

    # ---- blocks ----

    def from_item(self):
        line = self.expect("from").line
        lang = self.word("a language")
        if lang not in ("glsl", "hlsl"):
            self.fail(f"`{lang}` is no source language")
        f = From(lang, "", line, self.path)
        if self.accept("method"):
            f.owner = self.pattern()
        f.name = self.string("a function name")
        if self.peek().text == "(":
            f.sig = self.sig()
        while self.peek().kind in ("word", "shape"):
            w = self.peek().text
            if w in ("T", "U"):
                self.take()
                f.scalars[w] = self.scalar_set()
            elif w == "D":
                self.take()
                f.shapes = self.words_of(TEX_SHAPES, "texture shapes")
            elif w in ("since", "es"):
                self.take()
                setattr(f, w, int(self.number("a version")))
            elif w == "sm":
                self.take()
                f.sm = round(float(self.number("a shader model")) * 10)
            elif w == "ext":
                self.take()
                while re.match(r"GL_", self.peek().text):
                    f.exts.append(self.take().text)
                if not f.exts:
                    self.fail("expected an extension name")
            elif w == "stages":
                self.take()
                f.stages = self.words_of(STAGES, "stages")
            elif w == "op":
                self.take()
                while self.peek().kind == "word" and self.peek().text not in BLOCK_WORDS + ITEM_WORDS + (
                        "since", "es", "sm", "ext", "stages", "lower", "expand", "op"):
                    f.ops.append(self.take().text)
            elif w == "lower":
                self.take()
                f.lower = self.word("a hook")
            elif w == "expand":
                self.take()
                which = "" if self.peek().text == "{" else self.words_of(CLASSES, "a class s u f b")
                for c in which or [""]:
                    f.expands[c] = None
                body = self.body()
                for c in which or [""]:
                    f.expands[c] = body
            else:
                break
        return f

    def block(self):
        kind = self.word("`builtin`, `core` or `form`")
        if kind not in BLOCK_WORDS:
            self.fail(f"expected `builtin`, `core` or `form`, found `{kind}`")
        line = self.peek().line
        b = Block(kind, self.word("a name"), self.path, line)
        while self.peek().kind != "end" and self.peek().text not in BLOCK_WORDS:
            w = self.peek().text
            if w == "sig":
                self.take()
                b.sig = self.sig()
            elif w in ("T", "U"):
                self.take()
                b.scalars[w] = self.scalar_set()
            elif w == "traits":
                self.take()
                b.traits = self.words_of(list(TRAITS), "traits")
            elif w == "from":
                b.froms.append(self.from_item())
            elif w == "doc":
                self.take()
                b.doc = self.string("a text")
            elif w == "to":
                self.take()
                self.to_item(b)
            else:
                self.fail(f"`{w}` does not belong into a block")
        return b

    def to_item(self, b):
        while self.peek().text in ("spirv", "glsl450", "msl", "wgsl", "glsl", "hlsl"):
            targets = self.words_of(["spirv", "glsl450", "msl", "wgsl", "glsl", "hlsl"], "targets")
            scalars = []
            if self.accept("T"):
                scalars = self.scalar_set()
            by_component = bool(self.accept("scalar"))
            if self.accept("expand"):
                b.expands.append(TargetExpand(targets, scalars, by_component, self.body()))
                continue
            if len(targets) != 1:
                self.fail("one spelling belongs to one target")
            b.spellings[targets[0]] = int(self.number("a number")) if targets[0] in ("spirv", "glsl450") else self.string("a spelling")

    def blocks(self):
        found = []
        while self.peek().kind != "end":
            found.append(self.block())
        return found
