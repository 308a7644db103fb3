// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

namespace fs = std::filesystem;

using ir::Status;
using ir::StatusCode;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

}  // namespace

ir::Result<std::string> ReadProgramText(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (file == nullptr) return ir::Error(StatusCode::kSyntax, std::strerror(errno));
  std::string text(static_cast<size_t>(ir::kTextBytesMax) + 1, '\0');
  errno = 0;
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) return ir::Error(StatusCode::kSyntax, std::strerror(errno));
  if (text.empty()) return ir::Error(StatusCode::kSyntax, "the file is empty");
  if (text.size() > static_cast<size_t>(ir::kTextBytesMax)) {
    return ir::Error(StatusCode::kSyntax,
                     fmt::format("the file has more than {} bytes", ir::kTextBytesMax));
  }
  return text;
}

ir::Result<ir::Program> LoadProgram(const std::string& path) {
  FAULTLINE_ASSIGN_OR_RETURN(const std::string text, ReadProgramText(path));
  return ir::ParseAndVerify(text);
}

ir::Result<std::vector<std::string>> ListPrograms(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    return ir::Error(StatusCode::kSyntax, "no such file or directory");
  }
  if (!fs::is_directory(status)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->path().extension() == kProgramSuffix && !at->is_directory(error)) {
      files.push_back(at->path().string());
    }
  }
  if (error) return ir::Error(StatusCode::kSyntax, error.message());
  if (files.empty()) {
    return ir::Error(StatusCode::kSyntax,
                     fmt::format("no program (*{}) in this directory", kProgramSuffix));
  }
  std::ranges::sort(files);
  return files;
}

Status WriteText(const std::string& path, std::string_view text) {
  const auto failed = [&] {
    return Status(
        StatusCode::kIo,
        fmt::format("cannot write {}: {}", path == "-" ? "to stdout" : path, std::strerror(errno)));
  };
  if (path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    return written && std::fflush(stdout) == 0 ? Status() : failed();
  }
  File file(std::fopen(path.c_str(), "wb"));
  if (file == nullptr) return failed();
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()) return failed();
  return std::fclose(file.release()) == 0 ? Status() : failed();
}

}  // namespace faultline::harness
