// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Append-only files of finding records: one line a record, synced before the append returns, so
// that no kill of any process loses one. A torn last line is not a record.

#ifndef HARNESS_CAMPAIGN_FINDINGS_LOG_H_
#define HARNESS_CAMPAIGN_FINDINGS_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/status.h"
#include "reports/finding.h"

namespace faultline::harness {

// Creates the file if absent.
ir::Status AppendFinding(const std::string& path, const reports::Finding& finding);

// Reads the records that were appended since the last call.
class FindingsReader {
 public:
  explicit FindingsReader(std::string path) : path_(std::move(path)) {}
  std::vector<reports::Finding> Poll();

 private:
  std::string path_;
  int64_t offset_ = 0;
};

ir::Result<std::string> ReadWholeFile(const std::string& path);
// Through a temporary file and a rename: readers see the old or the new text.
ir::Status WriteWholeFile(const std::string& path, std::string_view text);
ir::Status MakeFolder(const std::string& path);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_FINDINGS_LOG_H_
