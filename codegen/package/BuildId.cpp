// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/BuildId.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"
#include <unistd.h>

using namespace llvm;

namespace nacre::package {

static constexpr size_t idBytes = sizeof(XXH128_hash_t);

std::string reserveBuildId() { return "--build-id=0x" + std::string(2 * idBytes, '0'); }

/// Returns the hash of the hashes of all chunks, so that a file of gigabytes is never in memory as a whole.
static Expected<XXH128_hash_t> hashFile(int file) {
  std::vector<uint8_t> chunk(1 << 20);
  std::vector<uint8_t> hashes;
  for (uint64_t offset = 0;;) {
    const ssize_t bytes = sys::RetryAfterSignal(-1, pread, file, chunk.data(), chunk.size(), off_t(offset));
    if (bytes < 0)
      return createStringError(sys::StrError());
    if (bytes == 0)
      return xxh3_128bits(hashes);
    const XXH128_hash_t hash = xxh3_128bits(ArrayRef(chunk).take_front(size_t(bytes)));
    const auto *first = reinterpret_cast<const uint8_t *>(&hash);
    hashes.insert(hashes.end(), first, first + sizeof hash);
    offset += uint64_t(bytes);
  }
}

/// Returns the file offset of the ID's bytes, which are at the end of their section.
static Expected<uint64_t> findRoom(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError(buffer.getError().message());
  Expected<std::unique_ptr<object::ObjectFile>> file = object::ObjectFile::createELFObjectFile(**buffer);
  if (!file)
    return file.takeError();
  for (const object::ELFSectionRef section : (*file)->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name == ".note.gnu.build-id")
      return section.getOffset() + section.getSize() - idBytes;
  }
  return createStringError("it has no section .note.gnu.build-id");
}

Expected<std::string> writeBuildId(const std::string &path) {
  auto fail = [&](const Twine &what) {
    return createStringError("cannot write the build ID of '" + path + "': " + what);
  };
  Expected<uint64_t> room = findRoom(path);
  if (!room)
    return fail(toString(room.takeError()));
  int file;
  if (std::error_code error = sys::fs::openFileForReadWrite(path, file, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return fail(error.message());
  scope_exit closeFile([&] { close(file); });
  Expected<XXH128_hash_t> hash = hashFile(file);
  if (!hash)
    return fail(toString(hash.takeError()));
  if (sys::RetryAfterSignal(-1, pwrite, file, &*hash, idBytes, off_t(*room)) != ssize_t(idBytes))
    return fail(sys::StrError());
  return toHex(ArrayRef(reinterpret_cast<const uint8_t *>(&*hash), idBytes), /*LowerCase=*/true);
}

} // namespace nacre::package
