// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is mapped read-only. Tensors and libraries are read in place, so the system reads only the needed pages.
// The object owns the mapping. It can be moved, but not copied.

#ifndef NACRE_TOOLS_RUN_TENSORS_MAPPEDFILE_H
#define NACRE_TOOLS_RUN_TENSORS_MAPPEDFILE_H

#include "tools/run/tensors/Failure.h"

#include <string_view>

namespace nacre::run {

class MappedFile {
public:
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { *this = std::move(other); }
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  Outcome open(const std::string &path);
  std::string_view bytes() const { return {data, size}; }

private:
  const char *data = nullptr;
  size_t size = 0;
};

} // namespace nacre::run

#endif // NACRE_TOOLS_RUN_TENSORS_MAPPEDFILE_H
