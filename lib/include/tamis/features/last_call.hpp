#pragma once
/// What a transform of features says of its last call.

#include "../shape.hpp"
#include "../status.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Whether the last call was accepted; where it was refused, why, and the place in what was given.
class LastCall {
 public:
  constexpr LastCall() = default;
  /// As if one had been refused, before there is one.
  constexpr LastCall(Status status, const char* sentence) : status_(status), sentence_(sentence) {}

  /// `running` where it was accepted.
  Status status() const { return status_; }
  const char* refusal() const { return sentence_; }
  Index row() const { return row_; }
  Index column() const { return column_; }

 protected:
  bool refuse(Status status, const char* sentence, Index column = 0, Index row = 0) {
    *this = {status, sentence};
    row_ = row;
    column_ = column;
    return false;
  }
  bool accept() {
    *this = {};
    return true;
  }

 private:
  Status status_ = Status::running;
  Index row_ = 0, column_ = 0;
  const char* sentence_ = nullptr;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
