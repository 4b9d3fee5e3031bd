// Regions of the text form, read: `if`, `switch`, `loop`.
#include <iterator>

#include "ir/parser.h"
#include "ir/text_tables.h"
#include "types/loop_control.h"

namespace carry::ir {

bool Parser::region(std::span<const TypeId> params, std::span<const TextTok> names, RegionId& out) {
  if (!expect('{')) return false;
  if (targets_.size() > kMaxRegionDepth) return fail("regions are nested too deeply");
  out = builder_->open_region(params);
  for (size_t i = 0; i < names.size(); ++i) {
    if (!define(names[i], builder_->region_param(out, static_cast<uint32_t>(i)))) return false;
  }
  while (!is_punct('}')) {
    if (!inst()) return false;
  }
  builder_->close_region();
  return expect('}');
}

bool Parser::inst() {
  std::vector<TextTok> names;
  std::vector<TypeId> types;
  if (!result_list(names, types)) return false;
  const TextTok op = token_;
  if (op.kind != TextToken::word || op.quoted) return fail("expected an instruction");
  advance();
  if (op.text == "if") return if_inst(op, names, types);
  if (op.text == "switch") return switch_inst(op, names, types);
  if (op.text == "loop") return loop_inst(op, names, types);
  if (!types.empty()) return fail_at(op, "only the results of control flow are written with types");
  return op_inst(op, names);
}

const std::vector<TypeId>& Parser::control_types(const std::vector<TypeId>& written) {
  return written.empty() ? targets_.back().results : written;
}

bool Parser::empty_else(RegionId& out) {
  out = builder_->open_region();
  builder_->yield();
  builder_->close_region();
  return true;
}

bool Parser::if_inst(const TextTok& op, const std::vector<TextTok>& names, const std::vector<TypeId>& types) {
  ValueId condition;
  uint32_t payload = 0;
  if (!value(condition) || !hint(payload)) return false;
  targets_.push_back({Op::if_, {}, {}, false, false});
  RegionId regions[2];
  if (!region({}, {}, regions[0])) return false;
  if (is_word("else")) {
    advance();
    if (!region({}, {}, regions[1])) return false;
  } else if (!empty_else(regions[1])) {
    return false;
  }
  const std::vector<TypeId> results = control_types(types);
  targets_.pop_back();
  return emit(op, Op::if_, results, {condition}, regions, payload, names);
}

bool Parser::switch_label(SwitchCase& c) {
  if (is_word("default")) {
    advance();
    c.is_default = true;
    return true;
  }
  ConstId label;
  if (token_.kind != TextToken::number) return fail("expected a label");
  if (!number(label)) return false;
  c.labels.push_back(label);
  return true;
}

bool Parser::switch_inst(const TextTok& op, const std::vector<TextTok>& names, const std::vector<TypeId>& types) {
  ValueId selector;
  if (!value(selector) || !expect('{')) return false;
  targets_.push_back({Op::switch_, {}, {}, false, false});
  std::vector<RegionId> regions;
  SwitchInfo info;
  while (!is_punct('}')) {
    SwitchCase c;
    if (is_word("case")) {
      advance();
    } else if (!is_word("default")) {
      return fail("expected `case` or `default`");
    }
    do {
      if (!switch_label(c)) return false;
    } while (accept(','));
    RegionId r;
    if (!region({}, {}, r)) return false;
    regions.push_back(r);
    info.cases.push_back(std::move(c));
  }
  advance();
  const std::vector<TypeId> results = control_types(types);
  targets_.pop_back();
  m_.switches.push_back(std::move(info));
  return emit(op, Op::switch_, results, {selector}, regions, static_cast<uint32_t>(m_.switches.size() - 1), names);
}

bool Parser::loop_parameters(std::vector<TextTok>& names, std::vector<ValueId>& init, std::vector<TypeId>& types) {
  if (!accept('(')) return true;
  while (!is_punct(')')) {
    if (token_.kind != TextToken::value) return fail("expected a loop parameter");
    names.push_back(token_);
    advance();
    ValueId v;
    if (!expect('=') || !value(v)) return false;
    init.push_back(v);
    types.push_back(type_of(v));
    if (!accept(',')) break;
  }
  return expect(')');
}

bool Parser::continuing_parameters(std::vector<TextTok>& names, std::vector<TypeId>& types) {
  std::vector<TypeId> written;
  if (accept('(')) {
    while (!is_punct(')')) {
      if (token_.kind != TextToken::value) return fail("expected a parameter of the continuing region");
      names.push_back(token_);
      advance();
      if (accept(':')) {
        written.emplace_back();
        if (!type(written.back())) return false;
      }
      if (!accept(',')) break;
    }
    if (!expect(')')) return false;
  }
  types = written.size() == names.size() && !written.empty() ? written : targets_.back().continuing;
  if (types.size() != names.size()) return fail("`continue` does not give values for these parameters: write their types");
  return true;
}

bool Parser::loop_inst(const TextTok& op, const std::vector<TextTok>& names, const std::vector<TypeId>& types) {
  std::vector<TextTok> param_names;
  std::vector<ValueId> init;
  std::vector<TypeId> param_types;
  uint32_t payload = 0;
  if (!loop_parameters(param_names, init, param_types) || !hint(payload)) return false;
  for (size_t i = 1; i < std::size(kLoopCountWords); ++i) {
    if (!is_word(kLoopCountWords[i])) continue;
    advance();
    uint32_t number = 0;
    if (!expect('=') || !integer(number, 0xffff)) return false;
    payload = LoopControl{static_cast<BranchHint>(payload), static_cast<LoopCount>(i), static_cast<uint16_t>(number)}.pack();
  }
  targets_.push_back({Op::loop, {}, {}, false, false});
  RegionId regions[2];
  if (!region(param_types, param_names, regions[0])) return false;
  if (!is_word("continuing")) return fail("expected `continuing`");
  advance();
  std::vector<TextTok> continuing_names;
  std::vector<TypeId> continuing_types;
  if (!continuing_parameters(continuing_names, continuing_types)) return false;
  if (!region(continuing_types, continuing_names, regions[1])) return false;
  const std::vector<TypeId> results = control_types(types);
  targets_.pop_back();
  return emit(op, Op::loop, results, init, regions, payload, names);
}

}  // namespace carry::ir
