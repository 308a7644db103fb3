// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/files.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

namespace faultline::harness {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "faultline_XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (fs::path(path_) / name).string(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST_CASE("what is written is read back") {
  const Folder folder;
  REQUIRE(WriteText(folder / "a.fl", "faultline 1\nread\n").ok());
  CHECK(ReadProgramText(folder / "a.fl") == "faultline 1\nread\n");
  CHECK(LoadProgram(folder / "a.fl").has_value());
}

TEST_CASE("files that are no programs are bad input, with the reason") {
  const Folder folder;
  REQUIRE(WriteText(folder / "empty.fl", "").ok());
  REQUIRE(WriteText(folder / "long.fl", std::string((1 << 20) + 1, 'x')).ok());
  for (const auto& path :
       {folder / "absent.fl", folder / "empty.fl", folder / "long.fl", folder.path()}) {
    const auto text = ReadProgramText(path);
    INFO(path);
    REQUIRE_FALSE(text.has_value());
    CHECK(text.error().code() == ir::StatusCode::kSyntax);
    CHECK_FALSE(text.error().message().empty());
  }
}

TEST_CASE("a folder names the programs below it, sorted") {
  const Folder folder;
  fs::create_directories(folder / "b/c.fl");  // a folder is no program, whatever its name
  fs::create_directories(folder / "empty");
  for (const char* name : {"b/2.fl", "b/c.fl/3.fl", "a.fl", "b/notes.txt"}) {
    REQUIRE(WriteText(folder / name, "x").ok());
  }
  CHECK(ListPrograms(folder.path()) ==
        std::vector<std::string>{folder / "a.fl", folder / "b/2.fl", folder / "b/c.fl/3.fl"});
  CHECK(ListPrograms(folder / "b/notes.txt") == std::vector<std::string>{folder / "b/notes.txt"});
  CHECK_FALSE(ListPrograms(folder / "empty").has_value());
  CHECK_FALSE(ListPrograms(folder / "absent").has_value());
}

TEST_CASE("a disk that is full is an error that names the file") {
  const ir::Status status = WriteText("/dev/full", "text");
  CHECK(status.code() == ir::StatusCode::kIo);
  CHECK(status.message() == "cannot write /dev/full: No space left on device");
  CHECK(WriteText("/nosuch/folder/file", "text").code() == ir::StatusCode::kIo);
}

}  // namespace
}  // namespace faultline::harness
