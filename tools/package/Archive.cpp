// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/package/Archive.h"

#include "llvm/ADT/ScopeExit.h"
#include <zip.h>

using namespace llvm;

namespace nacre::tools {
namespace {

/// The earliest date of the format: 1980-01-01, 00:00.
constexpr zip_uint16_t kDate = 1 << 5 | 1, kTime = 0;
constexpr zip_uint32_t kRegularFile = 0100644u << 16;

Error failure(const char *what, const char *reason) {
  return createStringError("the archive cannot be written: " + Twine(what) + ": " + reason);
}

} // namespace

Expected<std::string> writeArchive(ArrayRef<ArchivedFile> files) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t *memory = zip_source_buffer_create(nullptr, 0, 0, &error);
  if (!memory)
    return failure("memory", zip_error_strerror(&error));
  scope_exit release([&] { zip_source_free(memory); });
  zip_t *archive = zip_open_from_source(memory, ZIP_TRUNCATE, &error);
  if (!archive)
    return failure("memory", zip_error_strerror(&error));
  zip_source_keep(memory); // closing the archive releases a reference, so this adds one
  for (const ArchivedFile &file : files) {
    zip_source_t *bytes = zip_source_buffer(archive, file.bytes.data(), file.bytes.size(), /*freep=*/0);
    const zip_int64_t index = bytes ? zip_file_add(archive, file.name.c_str(), bytes, ZIP_FL_ENC_UTF_8) : -1;
    if (bytes && index < 0)
      zip_source_free(bytes);
    if (index < 0 || zip_set_file_compression(archive, zip_uint64_t(index), ZIP_CM_STORE, 0) ||
        zip_file_set_dostime(archive, zip_uint64_t(index), kTime, kDate, 0) ||
        zip_file_set_external_attributes(archive, zip_uint64_t(index), 0, ZIP_OPSYS_UNIX, kRegularFile)) {
      Error failed = failure(file.name.c_str(), zip_strerror(archive));
      zip_discard(archive);
      return failed;
    }
  }
  if (zip_close(archive)) {
    Error failed = failure("closing", zip_strerror(archive));
    zip_discard(archive);
    return failed;
  }

  zip_stat_t stat;
  if (zip_source_stat(memory, &stat) || zip_source_open(memory))
    return failure("memory", zip_error_strerror(zip_source_error(memory)));
  std::string result(stat.size, '\0');
  const zip_int64_t read = zip_source_read(memory, result.data(), result.size());
  zip_source_close(memory);
  if (read < 0 || zip_uint64_t(read) != stat.size)
    return failure("memory", "its bytes cannot be read");
  return result;
}

} // namespace nacre::tools
