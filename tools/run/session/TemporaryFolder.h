// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a folder of this machine for files that only other programs see.
// How:   below TMPDIR, or /tmp; removed with the object, with the files in it.

#ifndef NACRE_TOOLS_RUN_SESSION_TEMPORARYFOLDER_H
#define NACRE_TOOLS_RUN_SESSION_TEMPORARYFOLDER_H

#include "tools/run/tensors/Failure.h"

namespace nacre::run {

class TemporaryFolder {
public:
  TemporaryFolder() = default;
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder();

  Outcome create();
  std::string path(const std::string &name) const { return folder + "/" + name; }

private:
  std::string folder;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_SESSION_TEMPORARYFOLDER_H
