// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes a folder on this machine for files that only other programs read. It is below TMPDIR or /tmp. The object's
// destructor removes it with all its files.

#ifndef NACRE_TOOLS_PROCESS_TEMPORARYFOLDER_H
#define NACRE_TOOLS_PROCESS_TEMPORARYFOLDER_H

#include "tools/Failure.h"

namespace nacre::tools {

class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  /// Creates a folder with the name of a program and random letters.
  Outcome create(const std::string &program);
  std::string path(const std::string &name) const { return folder + "/" + name; }

private:
  std::string folder;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_TEMPORARYFOLDER_H
