// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements the files of platform.h that are read and written in pieces, or mapped.
// Why: only models with state, or with their weights in a file, need them.
// How: errors are negative error numbers of the system. A file is written under a unique temporary name and then
//      renamed. So two threads or processes can save to the same path, and the last file remains.

#include "runtime/src/platform.h"
#include "runtime/src/system_call.h"

namespace nacre::runtime {
namespace {

constexpr long kCreateNew = 1 | 0100 | 0200; // O_WRONLY | O_CREAT | O_EXCL, which does not follow symbolic links.
constexpr long kAsUserSays = 0666;           // The system removes the bits of the process's umask.
constexpr long kPermissions = 0777;
constexpr long kFileType = 0170000, kRegular = 0100000; // S_IFMT, S_IFREG
constexpr long kReadable = 1, kPrivate = 2;             // PROT_READ, MAP_PRIVATE
constexpr uint64_t kMostName = 200;
constexpr int kMostLinks = 40;   // Largest number of links that the system follows.
constexpr long kIsAbsent = -2;   // -ENOENT
constexpr long kIsThere = -17;   // -EEXIST
constexpr long kInvalid = -22;   // -EINVAL
constexpr long kIsNoFile = -126; // This error and the next are defined by the runtime, not by the system.
constexpr long kIsTooShort = -127;

/// Status of a file: the kernel's `struct stat`, which is equal in glibc and bionic.
struct FileStatus {
  uint64_t words[18];

#if defined(__aarch64__)
  long mode() const { return long(words[2] & 0xffff); }
#else
  long mode() const { return long(words[3] & 0xffff); }
#endif
  /// Returns the size of the file in bytes, or kIsNoFile for a folder, a device or a pipe. A pipe could make its reader
  /// or writer wait forever.
  int64_t regular_bytes() const { return (mode() & kFileType) == kRegular ? int64_t(words[6]) : kIsNoFile; }
};

/// Makes a system call on an open file. It is not inlined, because copies at each call would be larger.
__attribute__((noinline)) long of_file(long number, long file, long b = 0, long c = 0, long d = 0) {
  return restarted_call(number, file, b, c, d);
}
__attribute__((noinline)) long of_path(long number, const char *path, long c = 0, long d = 0) {
  return of_file(number, kWorkingFolder, address(path), c, d);
}
long open_by(const char *path, long how, long mode = 0) { return of_path(kOpenat, path, how | kNotInherited, mode); }

/// Returns the part of a path after the last slash.
char *name_in(char *path) {
  char *name = path;
  for (; *path; ++path)
    if (*path == '/')
      name = path + 1;
  return name;
}

void join(char *to, const char *first, const char *second) {
  while (*first)
    *to++ = *first++;
  do
    *to++ = *second;
  while (*second++);
}

/// Resolves the symbolic links at the end of `made.path`.
void follow_links(NewFile &made) {
  for (int links = 0; links < kMostLinks; ++links) {
    const long bytes = of_path(kReadlinkat, made.path, address(made.beside), NewFile::kMostPath);
    if (bytes < 0)
      return;
    char *to = made.beside[0] == '/' ? made.path : name_in(made.path);
    __builtin_memcpy(to, made.beside, uint64_t(bytes));
    to[bytes] = 0;
  }
}

/// Reads or writes all bytes, with as many calls as necessary.
long move_all(long number, long file, long data, uint64_t bytes, uint64_t offset) {
  for (uint64_t done = 0; done < bytes;) {
    const long moved = of_file(number, file, data + long(done), long(bytes - done), long(offset + done));
    if (moved <= 0)
      return moved ? moved : kIsTooShort;
    done += uint64_t(moved);
  }
  return 0;
}

} // namespace

long open_to_read(const char *path) { return open_by(path, kReadOnly | kNoWaiting); }

int64_t file_bytes(long file) {
  FileStatus status;
  const long error = of_file(kFstat, file, address(&status));
  return error ? error : status.regular_bytes();
}

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

long map_file(long file, uint64_t bytes) { return system_call(kMmap, 0, long(bytes), kReadable, kPrivate, file, 0); }

void unmap_file(const void *data, uint64_t bytes) { system_call(kMunmap, address(data), long(bytes)); }

long begin_file(NewFile &made, const char *path) {
  FileStatus status;
  long error = of_path(kFstatat, path, address(&status));
  long mode = kAsUserSays;
  if (error != kIsAbsent) {
    mode = status.mode() & kPermissions;
    if (error == 0 && status.regular_bytes() < 0)
      error = kIsNoFile;
    if (error != 0)
      return error;
  }
  join(made.path, path, ""); // The path fits, because the system accepted it when it opened the file.
  follow_links(made);
  long file;
  do {
    Text<256> suffix;
    suffix << ".new-" << now();
    join(made.beside, made.path, "");
    // A name may already have the longest length that the system allows. So this cuts it off to leave room for the
    // suffix.
    name_in(made.beside)[kMostName] = 0;
    join(made.beside, made.beside, suffix.c_str());
    file = open_by(made.beside, kCreateNew, mode);
  } while (file == kIsThere); // The name exists if another thread or process saved in the same nanosecond.
  if (error == 0)
    of_file(kFchmod, file, mode); // Sets the bits that the umask removed.
  return file;
}

long end_file(NewFile &made, long file, long error) {
  error = error ? error : of_file(kFsync, file);
  const long closed = close_file(file);
  error = error ? error : closed;
  if (error == 0)
    error = of_path(kRenameat, made.beside, kWorkingFolder, address(made.path));
  if (error != 0) {
    of_path(kUnlinkat, made.beside);
    return error;
  }
  char *name = name_in(made.path);
  if (name == made.path)
    *name++ = '.';
  *name = 0;
  const long folder = open_by(made.path, kReadOnly);
  if (folder < 0) // The folder may be writable but not readable. Then the system synchronizes it later.
    return 0;
  error = of_file(kFsync, folder);
  close_file(folder);
  return error == kInvalid ? 0 : error; // Some file systems flush folders without a call, and reject it.
}

const char *file_error_text(long error) {
  // Each entry is the number of a system error, followed by its text.
  static constexpr char kTexts[] = "\x02"
                                   "no such file or folder\0"
                                   "\x0d"
                                   "permission is denied\0"
                                   "\x1c"
                                   "the disk is full\0"
                                   "\x1e"
                                   "the file system is read-only\0"
                                   "\x24"
                                   "the name is too long\0"
                                   "\x7a"
                                   "the quota is used up\0"
                                   "\x7e"
                                   "it is not a regular file\0"
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
