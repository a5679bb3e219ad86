// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  platform.h's files that are read and written in pieces.
// Why:   only models with state have such.
// How:   what goes wrong is passed on as the system says it.

#include "runtime/src/platform.h"
#include "runtime/src/system_call.h"

namespace nacre::runtime {
namespace {

constexpr long kReplace = 1 | 0100 | 01000; // O_WRONLY | O_CREAT | O_TRUNC
constexpr long kNoWaiting = 04000;          // O_NONBLOCK
constexpr long kAsUserSays = 0666;          // less the process's mask
constexpr long kFromEnd = 2;                // SEEK_END
constexpr long kInvalid = -22;              // -EINVAL
constexpr long kIsTooShort = -127;          // of no file

__attribute__((noinline)) long open_by(const char *path, long how) { return open_file(path, how, kAsUserSays); }

/// Reads or writes, in as many calls as it takes.
long move_all(long number, long file, long data, uint64_t bytes, uint64_t offset) {
  for (uint64_t done = 0; done < bytes;) {
    const long moved = restarted_call(number, file, data + long(done), long(bytes - done), long(offset + done));
    if (moved <= 0)
      return moved ? moved : kIsTooShort;
    done += uint64_t(moved);
  }
  return 0;
}

} // namespace

long open_to_read(const char *path) { return open_by(path, kReadOnly | kNoWaiting); }

long open_to_replace(const char *path) { return open_by(path, kReplace); }

int64_t file_bytes(long file) { return system_call(kLseek, file, 0, kFromEnd); }

long read_at(long file, void *to, uint64_t bytes, uint64_t offset) {
  return move_all(kPread, file, address(to), bytes, offset);
}

long write_at(long file, const void *from, uint64_t bytes, uint64_t offset) {
  return move_all(kPwrite, file, address(from), bytes, offset);
}

long close_file(long file) {
  const long error = system_call(kClose, file);
  return error == kInterrupted ? 0 : error;
}

long sync_and_close(long file) {
  const long error = restarted_call(kFsync, file, 0, 0), closed = close_file(file);
  return error ? error : closed;
}

long move_file(const char *from, const char *to) {
  return system_call(kRenameat, kWorkingFolder, address(from), kWorkingFolder, address(to));
}

void remove_file(const char *path) { system_call(kUnlinkat, kWorkingFolder, address(path)); }

long sync_folder(const char *path) {
  const long file = open_to_read(path);
  if (file < 0) // one that may be written and not read: it is synchronized in its time
    return 0;
  const long error = sync_and_close(file);
  return error == kInvalid ? 0 : error; // of file systems that do so by themselves
}

const char *file_error_text(long error) {
  // The system's number, and what it means.
  static constexpr char kTexts[] = "\x02"
                                   "there is none\0"
                                   "\x0d"
                                   "permission is denied\0"
                                   "\x1c"
                                   "the disk is full\0"
                                   "\x24"
                                   "the name is too long\0"
                                   "\x7f"
                                   "it ends too early\0";
  for (const char *text = kTexts; *text; ++text) {
    if (*text++ == -error)
      return text;
    while (*text)
      ++text;
  }
  return nullptr;
}

} // namespace nacre::runtime
