// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/LibrarySum.h"
#include "runtime/inspect/library_check.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <unistd.h>

using namespace llvm;

namespace nacre::package {

std::string sumNote() {
  struct {
    uint32_t nameBytes = 6, sumBytes = sizeof(uint64_t), type = 2;
    char name[8] = "Nacre";
    char sum[8] = {};
  } note;
  return std::string(reinterpret_cast<const char *>(&note), sizeof note);
}

Error writeLibrarySum(const std::string &path) {
  auto fail = [&](const Twine &what) {
    return createStringError("cannot write the checksum of '" + path + "': " + what);
  };
  uint64_t sum = 0, offset = 0;
  nacre_library_facts facts;
  if (!nacre_library_sum(path.c_str(), &sum, &offset, &facts))
    return fail(Twine("it ") + facts.reason);
  int file;
  if (std::error_code error = sys::fs::openFileForReadWrite(path, file, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return fail(error.message());
  scope_exit closeFile([&] { close(file); });
  if (sys::RetryAfterSignal(-1, pwrite, file, &sum, sizeof sum, off_t(offset)) != ssize_t(sizeof sum))
    return fail(sys::StrError());
  return Error::success();
}

} // namespace nacre::package
