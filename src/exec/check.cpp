#include "exec/check.h"

#include <algorithm>

#include "base/text_sink.h"

namespace carry::exec {

void Checker::report(const Machine& m, CheckFlags kind, ir::InstId inst, std::string message) {
  constexpr size_t kMostReports = 1000;
  const uint64_t key = uint64_t{inst.value} << 8 | static_cast<uint64_t>(kind);
  for (size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == key) {
      ++reports[i].count;
      return;
    }
  }
  if (reports.size() >= kMostReports) return;
  seen.push_back(key);
  CheckReport r;
  r.kind = kind;
  r.message = std::move(message);
  if (!inst.is_none()) r.loc = m.module->insts[inst].loc;
  r.function = m.program->functions[m.function].name;
  reports.push_back(std::move(r));
}

void Checker::start_batch(const Machine& m) {
  if (on(kCheckUninitialised)) {
    lane_written.assign(m.program->lane_words * m.stride, 0);
    group_written.assign(m.program->group_words * m.batch_groups, 0);
    for (const LaneInit& init : m.program->lane_inits) {
      std::fill_n(lane_written.begin() + static_cast<std::ptrdiff_t>(uint64_t{init.lane_word} * m.stride),
                  uint64_t{init.units} * m.stride, uint8_t{1});
    }
  }
  if (on(kCheckRaces)) {
    group.assign(m.program->group_words * m.batch_groups, {});
    if (objects.empty()) {
      objects.resize(m.objects.size());
      for (size_t i = 0; i < objects.size(); ++i) objects[i].resize((m.objects[i].size + 3) / 4);
    }
    ++storage_epoch;
  }
}

void Checker::mark_written(const Machine& m, uint32_t lane_word, uint32_t words) {
  const uint64_t first = uint64_t{lane_word} * m.stride;
  for (uint64_t i = first; i < first + uint64_t{words} * m.stride && i < lane_written.size(); ++i) lane_written[i] = 1;
}

void Checker::touch(Machine& m, ir::InstId inst, RaceShadow& s, uint32_t epoch, uint32_t lane, bool write, bool atomic,
                    const char* what) {
  const uint64_t group_number = m.first_group + lane / m.group_size;
  const uint64_t me = group_number * m.group_size + lane % m.group_size + 1;
  const auto conflicts = [&](uint64_t other, uint32_t other_epoch, bool other_atomic) {
    if (other == 0 || other == me || (atomic && other_atomic)) return false;
    return other_epoch == epoch || (other - 1) / m.group_size != group_number;
  };
  const bool with_write = conflicts(s.writer, s.write_epoch, s.write_atomic);
  const bool with_read = write && (conflicts(s.reader, s.read_epoch, s.read_atomic) ||
                                   (s.many_readers && s.read_epoch == epoch && !(atomic && s.read_atomic)));
  if (with_write || with_read) {
    TextSink text;
    text << "data race on " << what << ": invocation " << me - 1 << (write ? " writes" : " reads") << " what invocation "
         << (with_write ? s.writer : s.reader) - 1 << (with_write ? " wrote" : " read") << " without a barrier between";
    report(m, kCheckRaces, inst, text.take());
  }
  if (write) {
    s.writer = me;
    s.write_epoch = epoch;
    s.write_atomic = atomic;
  } else {
    s.many_readers = s.read_epoch == epoch && s.reader != 0 && (s.many_readers || s.reader != me);
    s.read_atomic = atomic && (s.read_epoch != epoch || s.reader == 0 || s.read_atomic);
    s.reader = me;
    s.read_epoch = epoch;
  }
}

void Checker::touch_object(Machine& m, ir::InstId inst, uint32_t object, uint64_t offset, uint32_t bytes, uint32_t lane,
                           bool write, bool atomic) {
  if (!on(kCheckRaces) || object >= objects.size()) return;
  std::vector<RaceShadow>& shadow = objects[object];
  for (uint64_t g = offset / 4; g <= (offset + bytes - 1) / 4 && g < shadow.size(); ++g) {
    touch(m, inst, shadow[g], storage_epoch, lane, write, atomic, "a buffer");
  }
}

void Checker::touch_group(Machine& m, ir::InstId inst, uint32_t word, uint32_t count, uint32_t lane, bool write, bool atomic) {
  if (!on(kCheckRaces)) return;
  for (uint32_t w = word; w < word + count && w < group.size(); ++w) {
    touch(m, inst, group[w], group_epoch, lane, write, atomic, "workgroup memory");
  }
}

}  // namespace carry::exec
