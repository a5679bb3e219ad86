// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/process/TemporaryFolder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace nacre::tools {

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored; // the system removes remaining files
  if (!folder.empty())
    std::filesystem::remove_all(folder, ignored);
}

Outcome TemporaryFolder::create(const std::string &program) {
  const char *parent = std::getenv("TMPDIR");
  std::string path = std::string(parent && *parent ? parent : "/tmp") + "/" + program + ".XXXXXX";
  if (!mkdtemp(path.data()))
    return usageFailure("cannot make the folder '" + path + "': " + std::strerror(errno) +
                        "; set TMPDIR to a folder that can be written to");
  folder = path;
  return std::nullopt;
}

} // namespace nacre::tools
