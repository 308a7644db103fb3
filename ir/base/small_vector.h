// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A vector whose first N elements lie in itself: for the operands and results of one application,
// of which there are one or two, now and then many. Not for what lives long or is moved around.

#ifndef IR_BASE_SMALL_VECTOR_H_
#define IR_BASE_SMALL_VECTOR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace faultline::ir {

template <typename T, size_t N>
class SmallVector {
 public:
  void push_back(T element) {
    if (spilled_.empty()) {
      if (count_ < N) {
        inline_[count_++] = std::move(element);
        return;
      }
      spilled_.reserve(2 * N);
      std::ranges::move(inline_, std::back_inserter(spilled_));
      count_ = 0;
    }
    spilled_.push_back(std::move(element));
  }

  void pop_back() {
    if (spilled_.empty()) {
      --count_;
    } else {
      spilled_.pop_back();
    }
  }

  void clear() { *this = {}; }

  size_t size() const { return spilled_.empty() ? count_ : spilled_.size(); }
  bool empty() const { return size() == 0; }
  T* data() { return spilled_.empty() ? inline_.data() : spilled_.data(); }
  const T* data() const { return spilled_.empty() ? inline_.data() : spilled_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T& back() { return data()[size() - 1]; }

 private:
  std::array<T, N> inline_ = {};
  size_t count_ = 0;        // of the elements in `inline_`
  std::vector<T> spilled_;  // all of them, once there are more than N
};

}  // namespace faultline::ir

#endif  // IR_BASE_SMALL_VECTOR_H_
