// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/judgement_codec.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

namespace faultline::harness {
namespace {

constexpr uint64_t kMagic = 0x746e656d67647566;  // also at the end: a torn message has none
constexpr uint64_t kCountMax = uint64_t{1} << 24;

// Trace names are views that live as long as their backend; those of a child live here instead.
// Judging runs on one thread, and there are few names.
std::string_view Intern(std::string text) {
  static auto* const kNames = new std::set<std::string, std::less<>>;
  return *kNames->insert(std::move(text)).first;
}

class Writer {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(const T& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  void operator()(const std::string_view& text) {
    (*this)(uint64_t{text.size()});
    bytes.append(text);
  }
  void operator()(const std::string& text) { (*this)(std::string_view(text)); }
  template <typename T>
  void operator()(const std::optional<T>& value) {
    (*this)(static_cast<uint8_t>(value.has_value()));
    if (value) (*this)(*value);
  }
  template <typename A, typename B>
  void operator()(const std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <typename T>
  void operator()(const std::vector<T>& values) {
    (*this)(uint64_t{values.size()});
    for (const T& value : values) (*this)(value);
  }
  template <typename T>
    requires std::is_class_v<T>
  void operator()(const T& value) {
    Visit(value, *this);
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <typename T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void operator()(T& value) {
    // After a failure nothing is where it should be.
    if (!ok_ || bytes_.size() < sizeof(value)) return Fail();
    std::memcpy(&value, bytes_.data(), sizeof(value));
    bytes_.remove_prefix(sizeof(value));
  }
  void operator()(std::string& text) {
    const uint64_t size = Count();
    if (bytes_.size() < size) return Fail();
    text.assign(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
  }
  void operator()(std::string_view& text) {
    std::string copy;
    (*this)(copy);
    text = Intern(std::move(copy));
  }
  template <typename T>
  void operator()(std::optional<T>& value) {
    uint8_t present = 0;
    (*this)(present);
    if (present != 0 && ok_) (*this)(value.emplace());
  }
  template <typename A, typename B>
  void operator()(std::pair<A, B>& pair) {
    (*this)(pair.first);
    (*this)(pair.second);
  }
  template <typename T>
  void operator()(std::vector<T>& values) {
    const uint64_t count = Count();
    for (uint64_t i = 0; i < count && ok_; ++i) (*this)(values.emplace_back());
  }
  template <typename T>
    requires std::is_class_v<T>
  void operator()(T& value) {
    Visit(value, *this);
  }
  bool ok() const { return ok_; }

 private:
  uint64_t Count() {
    uint64_t count = 0;
    (*this)(count);
    if (count > kCountMax) Fail();
    return ok_ ? count : 0;
  }
  void Fail() { ok_ = false; }
  std::string_view bytes_;
  bool ok_ = true;
};

// The members of each type, once for both directions. The macro keeps const and mutable versions
// together: T is the type, const or not.
template <typename T, typename Type>
concept Is = std::is_same_v<std::remove_const_t<T>, Type>;

void Visit(Is<ElementEvidence> auto& e, auto& io) {
  io(e.index), io(e.part), io(e.expected), io(e.actual), io(e.naive), io(e.ulp), io(e.widths);
}

void Visit(Is<Verdict> auto& v, auto& io) {
  io(v.kind), io(v.aspect), io(v.pattern), io(v.statement), io(v.position), io(v.value);
  io(v.type), io(v.op), io(v.dtype_class), io(v.mismatches), io(v.elements), io(v.worst);
  io(v.wrong), io(v.message), io(v.frames), io(v.key);
}

void Visit(Is<CompareStatistics> auto& s, auto& io) {
  io(s.compared), io(s.exact), io(s.vacuous), io(s.compared_float), io(s.exact_float);
  io(s.pinned_values);
}

void Visit(Is<TracedBlock> auto& b, auto& io) { io(b.rules), io(b.source_ops), io(b.tier); }

void Visit(Is<TracedDecision> auto& d, auto& io) { io(d.name), io(d.alternatives), io(d.choice); }

void Visit(Is<PlanTrace> auto& t, auto& io) {
  io(t.operations), io(t.blocks), io(t.decisions), io(t.rules_fired);
  io(t.cuts), io(t.cache_hits), io(t.cache_misses), io(t.cache_evictions), io(t.in_place);
  io(t.in_place_refused), io(t.launches), io(t.bytes_read), io(t.bytes_written);
  io(t.bytes_least), io(t.pool_high_water), io(t.environment);
}

}  // namespace

std::string EncodeJudgement(const Judgement& judgement) {
  Writer writer;
  writer(kMagic);
  writer(judgement.verdict);
  writer(judgement.statistics);
  writer(judgement.observation.trace);
  writer(kMagic);
  return std::move(writer.bytes);
}

std::optional<Judgement> DecodeJudgement(std::string_view bytes) {
  Reader reader(bytes);
  uint64_t first = 0;
  uint64_t last = 0;
  Judgement judgement;
  reader(first);
  reader(judgement.verdict);
  reader(judgement.statistics);
  reader(judgement.observation.trace);
  reader(last);
  if (!reader.ok() || first != kMagic || last != kMagic) return std::nullopt;
  return judgement;
}

}  // namespace faultline::harness
