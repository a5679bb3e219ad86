// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a folder of this machine for files that only other programs see.
// How:   below TMPDIR, or /tmp; removed with the object, with the files in it.

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

  /// The folder has the name of a program, and letters that make it new.
  Outcome create(const std::string &program);
  std::string path(const std::string &name) const { return folder + "/" + name; }

private:
  std::string folder;
};

} // namespace nacre::tools

#endif // NACRE_TOOLS_PROCESS_TEMPORARYFOLDER_H
