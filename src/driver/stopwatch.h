// Times of the stages for `--time`; without a list to fill it does nothing.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "driver/compilation.h"

namespace carry::driver {

class Stopwatch {
 public:
  explicit Stopwatch(std::vector<StageTime>* list) : list_(list) {
    if (list_ != nullptr) last_ = std::chrono::steady_clock::now();
  }
  /// What passed since the last call; `bytes` is the size of what the stage left behind.
  void lap(std::string stage, uint64_t bytes) {
    if (list_ == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    list_->push_back({std::move(stage), std::chrono::duration<double, std::milli>(now - last_).count(), bytes});
    last_ = now;
  }

 private:
  std::vector<StageTime>* list_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace carry::driver
