// State of --check: what was reported, and shadows of memory. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// Who touched a 4-byte granule last, between barriers.
struct RaceShadow {
  uint64_t writer = 0;  // linear global lane + 1
  uint64_t reader = 0;
  uint32_t write_epoch = 0;
  uint32_t read_epoch = 0;
  bool write_atomic = false;
  bool read_atomic = false;
  bool many_readers = false;
};

struct Checker {
  uint32_t flags = 0;
  std::vector<CheckReport> reports;
  std::vector<uint64_t> seen;                    // inst and kind of reports[i]
  std::vector<uint8_t> lane_written;             // by word and lane, as lane_mem
  std::vector<uint8_t> group_written;            // by word of group memory
  std::vector<std::vector<RaceShadow>> objects;  // by object id
  std::vector<RaceShadow> group;
  uint32_t storage_epoch = 1, group_epoch = 1;

  void report(const Machine& m, CheckFlags kind, ir::InstId inst, std::string message);
  void start_batch(const Machine& m);
  void mark_written(const Machine& m, uint32_t lane_word, uint32_t words);
  [[nodiscard]] bool on(CheckFlags f) const { return (flags & f) != 0; }
  /// One lane touches `bytes` bytes of an object, or words of group memory.
  void touch_object(Machine& m, ir::InstId inst, uint32_t object, uint64_t offset, uint32_t bytes, uint32_t lane, bool write,
                    bool atomic);
  void touch_group(Machine& m, ir::InstId inst, uint32_t word, uint32_t count, uint32_t lane, bool write, bool atomic);

 private:
  void touch(Machine& m, ir::InstId inst, RaceShadow& s, uint32_t epoch, uint32_t lane, bool write, bool atomic,
             const char* what);
};

}  // namespace carry::exec
