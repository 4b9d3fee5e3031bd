// carry.h with owners: a Request and a Result that destroy themselves. Header only, C++17; nothing here throws.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "carry.h"

namespace carry_api {

class Result {
 public:
  explicit Result(CarryResult* result) : result_(result) {}
  [[nodiscard]] bool ok() const { return carry_result_status(result_.get()) == CARRY_OK; }
  [[nodiscard]] CarryStatus status() const { return carry_result_status(result_.get()); }
  [[nodiscard]] std::string_view output(size_t index) const {
    size_t size = 0;
    const void* bytes = carry_result_output(result_.get(), index, &size);
    return {static_cast<const char*>(bytes), size};
  }
  [[nodiscard]] std::string_view messages(CarryFormat format = CARRY_TEXT) const {
    return carry_result_messages(result_.get(), format);
  }
  [[nodiscard]] std::string_view reflection() const { return carry_result_reflection(result_.get()); }

 private:
  struct Destroy {
    void operator()(CarryResult* r) const { carry_result_destroy(r); }
  };
  std::unique_ptr<CarryResult, Destroy> result_;
};

class Request {
 public:
  Request() : request_(carry_request_create()) {}
  bool source(const std::string& name, std::string_view text) {
    return carry_request_set_source(get(), name.c_str(), text.data(), text.size()) == CARRY_OK;
  }
  bool language(const std::string& word) { return carry_request_set_language(get(), word.c_str()) == CARRY_OK; }
  bool stage(const std::string& word) { return carry_request_set_stage(get(), word.c_str()) == CARRY_OK; }
  bool entry(const std::string& name) { return carry_request_add_entry(get(), name.c_str(), nullptr) == CARRY_OK; }
  bool target(const std::string& name) { return carry_request_add_target(get(), name.c_str()) == CARRY_OK; }
  bool macro(const std::string& name, const std::string& value) {
    return carry_request_add_macro(get(), name.c_str(), value.c_str()) == CARRY_OK;
  }
  bool option(const std::string& name, const std::string& value) {
    return carry_request_set_option(get(), name.c_str(), value.c_str()) == CARRY_OK;
  }
  [[nodiscard]] std::string_view error() const { return carry_request_error(request_.get()); }
  [[nodiscard]] Result compile() const { return Result(carry_compile(request_.get())); }
  [[nodiscard]] CarryRequest* get() const { return request_.get(); }

 private:
  struct Destroy {
    void operator()(CarryRequest* r) const { carry_request_destroy(r); }
  };
  std::unique_ptr<CarryRequest, Destroy> request_;
};

}  // namespace carry_api
