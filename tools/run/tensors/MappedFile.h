// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a file's bytes, mapped read-only.
// Why:   tensors and libraries are looked at in place; nothing is read that is not needed.
// How:   owns the mapping; moves, does not copy.

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
