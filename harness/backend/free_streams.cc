// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/free_streams.h"

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace faultline::harness {

StreamSchedule ScheduleStreams(const ir::Program& program) {
  using ir::StatementKind;
  const size_t count = program.statements.size();
  StreamSchedule schedule{.stream_of = std::vector<int>(count),
                          .after = std::vector<std::vector<int>>(count)};
  std::vector<std::vector<int>> by_stream(ir::kStreamsMax);
  std::vector<int> made(program.values.size(), -1);
  std::vector<std::vector<int>> users(program.values.size());
  int stream = 0;
  for (size_t i = 0; i < count; ++i) {
    const ir::Statement& statement = program.statements[i];
    const auto index = static_cast<int>(i);
    if (statement.kind == StatementKind::kStream) stream = statement.stream;
    schedule.stream_of[i] = stream;
    by_stream[static_cast<size_t>(stream)].push_back(index);
    // Expectations are held against reads, not issued.
    if (statement.kind == StatementKind::kExpect || statement.kind == StatementKind::kExpectError) {
      continue;
    }
    std::vector<int>& after = schedule.after[i];
    for (const ir::ValueId operand : statement.operands) {
      after.push_back(made[operand]);
      std::vector<int>& users_of = users[operand];
      if (statement.kind == StatementKind::kDrop) {
        after.insert(after.end(), users_of.begin(), users_of.end());
      }
      users_of.push_back(index);
    }
    for (const ir::ValueId result : statement.results) made[result] = index;
    std::erase(after, -1);
  }
  std::erase_if(by_stream, [](const std::vector<int>& client) { return client.empty(); });
  schedule.clients = std::move(by_stream);
  return schedule;
}

std::vector<int> ExecuteFreely(const StreamSchedule& schedule,
                               const std::function<void(int statement)>& execute) {
  std::mutex mutex;
  std::condition_variable progress;
  std::vector<bool> done(schedule.after.size(), false);
  std::vector<int> order;
  // Threads begin together: else a short program is over before the second one runs.
  std::barrier begin(static_cast<std::ptrdiff_t>(schedule.clients.size()));
  const auto client = [&](const std::vector<int>& statements) {
    begin.arrive_and_wait();
    for (const int statement : statements) {
      {
        std::unique_lock lock(mutex);
        progress.wait(lock, [&] {
          return std::ranges::all_of(
              schedule.after[static_cast<size_t>(statement)],
              [&](int other) { return static_cast<bool>(done[static_cast<size_t>(other)]); });
        });
        execute(statement);
        done[static_cast<size_t>(statement)] = true;
        order.push_back(statement);
      }
      progress.notify_all();
      // A thread that takes the lock again at once would leave the others no turn.
      std::this_thread::yield();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (const std::vector<int>& statements : schedule.clients) {
      threads.emplace_back(client, std::cref(statements));
    }
  }
  return order;
}

}  // namespace faultline::harness
