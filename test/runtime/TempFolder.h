// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a folder for one test, gone with it.
// Why:   the same tests run side by side, with sanitizers and without: a name that two of them choose is a lottery.
// How:   the system makes the name.

#ifndef NACRE_TEST_RUNTIME_TEMPFOLDER_H
#define NACRE_TEST_RUNTIME_TEMPFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace nacre::test {

class TempFolder {
public:
  TempFolder() : name(testing::TempDir() + "nacre-XXXXXX") { EXPECT_NE(mkdtemp(name.data()), nullptr); }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name, ignored);
  }

  const std::string &path() const { return name; }
  /// Returns the path of a file in it.
  std::string path(const std::string &file) const { return name + "/" + file; }

private:
  std::string name;
};

} // namespace nacre::test

#endif // NACRE_TEST_RUNTIME_TEMPFOLDER_H
