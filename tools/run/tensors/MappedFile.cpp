// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An empty file is valid, but has no mapping.

#include "tools/run/tensors/MappedFile.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nacre::run {

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(data, other.data);
  std::swap(size, other.size);
  return *this;
}

MappedFile::~MappedFile() {
  if (size != 0)
    munmap(const_cast<char *>(data), size);
}

Outcome MappedFile::open(const std::string &path) {
  const int file = int(TEMP_FAILURE_RETRY(::open(path.c_str(), O_RDONLY | O_CLOEXEC)));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    const std::string why = file < 0 ? std::strerror(errno) : "it must be a regular file";
    if (file >= 0)
      close(file);
    return usageFailure("cannot read '" + path + "': " + why);
  }
  void *mapping = nullptr;
  if (status.st_size > 0)
    mapping = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  const int mapError = errno;
  close(file);
  if (mapping == MAP_FAILED)
    return usageFailure("cannot map '" + path + "': " + std::strerror(mapError));
  *this = MappedFile();
  data = static_cast<const char *>(mapping);
  size = status.st_size;
  return std::nullopt;
}

} // namespace nacre::run
