// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/shared_state.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

namespace faultline::harness {
namespace {

ir::Result<CampaignState*> Map(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags | O_RDWR | O_CLOEXEC, 0644);
  if (fd < 0) {
    return ir::Error(ir::StatusCode::kIo,
                     fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  }
  // The file is sparse: a ring slot costs disk only for the bytes that were ever used.
  const bool sized = ftruncate(fd, sizeof(CampaignState)) == 0;
  void* memory =
      sized ? mmap(nullptr, sizeof(CampaignState), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
            : MAP_FAILED;
  const int error = errno;
  close(fd);
  if (memory == MAP_FAILED) {
    return ir::Error(ir::StatusCode::kIo,
                     fmt::format("cannot map '{}': {}", path, std::strerror(error)));
  }
  // A fresh file is all zero bytes, which is the initial value of every atomic here.
  return std::launder(static_cast<CampaignState*>(memory));
}

std::string TextAt(const WorkerSlot& slot, uint64_t sequence) {
  const InflightText& entry = slot.ring[sequence % kInflightTexts];
  const uint32_t length = entry.length.load(std::memory_order_acquire);
  return std::string(entry.text, std::min<size_t>(length, sizeof(entry.text)));
}

}  // namespace

uint64_t MonotonicNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

ir::Result<SharedState> SharedState::Create(const std::string& path) {
  FAULTLINE_ASSIGN_OR_RETURN(CampaignState * state, Map(path, O_CREAT | O_TRUNC));
  return SharedState(state);
}

ir::Result<SharedState> SharedState::Open(const std::string& path) {
  FAULTLINE_ASSIGN_OR_RETURN(CampaignState * state, Map(path, 0));
  return SharedState(state);
}

SharedState::SharedState(SharedState&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}

SharedState& SharedState::operator=(SharedState&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

SharedState::~SharedState() {
  if (state_ != nullptr) munmap(static_cast<void*>(state_), sizeof(CampaignState));
}

bool TakeTicket(CampaignState& state) {
  uint64_t left = state.runs_left.load(std::memory_order_relaxed);
  while (left > 0) {
    if (state.runs_left.compare_exchange_weak(left, left - 1, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void BeginInput(WorkerSlot& slot, std::string_view text) {
  const uint64_t sequence = slot.sequence.load(std::memory_order_relaxed) + 1;
  InflightText& entry = slot.ring[sequence % kInflightTexts];
  const size_t length = std::min(text.size(), sizeof(entry.text));
  entry.length.store(0, std::memory_order_relaxed);
  std::memcpy(entry.text, text.data(), length);
  entry.length.store(static_cast<uint32_t>(length), std::memory_order_release);
  slot.sequence.store(sequence, std::memory_order_release);
  slot.running.store(1, std::memory_order_release);
}

void EndInput(WorkerSlot& slot) { slot.running.store(0, std::memory_order_release); }

std::string RunningText(const WorkerSlot& slot) {
  if (slot.running.load(std::memory_order_acquire) == 0) return {};
  return TextAt(slot, slot.sequence.load(std::memory_order_acquire));
}

std::vector<std::string> TextsBefore(const WorkerSlot& slot) {
  const uint64_t sequence = slot.sequence.load(std::memory_order_acquire);
  const uint64_t count = std::min<uint64_t>(sequence > 0 ? sequence - 1 : 0, kInflightTexts - 1);
  std::vector<std::string> texts;
  for (uint64_t back = count; back > 0; --back) texts.push_back(TextAt(slot, sequence - back));
  return texts;
}

}  // namespace faultline::harness
