// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OutputFile.h.

#include "dialects/OutputFile.h"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace nacre {
namespace {

constexpr unsigned kPermissions = 0777;
constexpr int kMostLinks = 40; // The limit of the operating system.

/// Limit of the length of an unfinished file's name in bytes. The linker and the writer of weights append to this name,
/// and the result must stay below NAME_MAX.
constexpr size_t kMostBeside = 200;

bool isStream(mode_t mode) { return S_ISCHR(mode) || S_ISFIFO(mode); }

/// Opens a pipe or a terminal for writing. A pipe without a reader is an error. Later writes may block.
int openStream(const std::string &path, int how) {
  const int file = open(path.c_str(), how | O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (file >= 0)
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return file;
}

std::string uniqueSuffix() {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return ".partial-" + std::to_string(getpid()) + "-" + std::to_string(time.tv_sec * 1000000000 + time.tv_nsec);
}

/// Returns at most the first `most` bytes of a UTF-8 text, without a partial character at the end.
std::string_view cut(std::string_view text, size_t most) {
  if (text.size() <= most)
    return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80)
    --most;
  return text.substr(0, most);
}

/// Returns a new file name in the folder of `path`.
std::string nameBeside(const std::string &path) {
  std::string folder = folderOf(path);
  const std::string suffix = uniqueSuffix();
  const std::string_view name = std::string_view(path).substr(folder.size());
  return folder.append(cut(name, kMostBeside - suffix.size())) + suffix;
}

} // namespace

std::string folderOf(const std::string &path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "" : path.substr(0, slash + 1);
}

std::string followLinks(std::string path) {
  char text[PATH_MAX];
  for (int links = 0; links < kMostLinks; ++links) {
    const ssize_t bytes = readlink(path.c_str(), text, sizeof text);
    if (bytes < 0)
      break;
    const std::string link(text, static_cast<size_t>(bytes));
    path = link[0] == '/' ? link : folderOf(path) + link;
  }
  return path;
}

std::string hashedFileNameOf(std::string_view stem, std::string_view extension, std::string_view whole) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (const char c : whole.empty() ? stem : whole)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  char digits[18];
  std::snprintf(digits, sizeof digits, "-%016llx", static_cast<unsigned long long>(hash));
  const size_t most = NAME_MAX - std::strlen(digits) - extension.size();
  return std::string(cut(stem, most)).append(digits).append(extension);
}

std::string fileNameOf(std::string_view stem, std::string_view extension, std::string_view whole) {
  return stem.size() + extension.size() <= NAME_MAX ? std::string(stem).append(extension)
                                                    : hashedFileNameOf(stem, extension, whole);
}

OutputFile::~OutputFile() {
  if (file >= 0)
    close(file);
  if (!temporary.empty())
    unlink(temporary.c_str());
}

std::string OutputFile::problem() const { return std::strerror(errno); }

std::string OutputFile::open(const std::string &path, Announce announce) {
  struct stat old;
  isNew = stat(path.c_str(), &old) != 0;
  if (isNew && errno != ENOENT)
    return problem();
  if (!isNew && isStream(old.st_mode)) {
    file = openStream(path, 0);
    return file < 0 ? problem() : "";
  }
  if (!isNew && !S_ISREG(old.st_mode))
    return S_ISDIR(old.st_mode) ? "it is a folder" : "it is not a regular file";
  permissions = isNew ? 0666 : old.st_mode & kPermissions;
  target = followLinks(path);
  do {
    temporary = nameBeside(target);
    if (announce)
      announce(temporary);
    file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions);
  } while (file < 0 && errno == EEXIST);
  if (file >= 0)
    return "";
  temporary.clear();
  return problem();
}

std::string OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR)
      return problem();
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return "";
}

std::string OutputFile::keep() {
  if (temporary.empty())
    return "";
  // The file is opened again by name, because a linker may have replaced it.
  const int written = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  const bool isSafe = (isNew || chmod(temporary.c_str(), permissions) == 0) &&
                      fsync(written < 0 ? file : written) == 0 && rename(temporary.c_str(), target.c_str()) == 0;
  std::string why = isSafe ? "" : problem();
  if (written >= 0)
    close(written);
  if (!isSafe)
    return why;
  temporary.clear();
  const std::string folder = folderOf(target);
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) // A folder may be writable but not readable. The system then synchronizes it later.
    return "";
  fsync(opened); // Some file systems do not support this, and need no such call.
  close(opened);
  return "";
}

std::string writeFile(const std::string &path, std::string_view bytes, OutputFile::Announce announce) {
  OutputFile file;
  std::string problem = file.open(path, announce);
  if (problem.empty())
    problem = file.write(bytes);
  return problem.empty() ? file.keep() : problem;
}

std::string findOutputProblem(const std::string &path) {
  struct stat old;
  const bool isNew = stat(path.c_str(), &old) != 0;
  if (isNew && errno != ENOENT)
    return std::strerror(errno);
  if (!isNew && !S_ISREG(old.st_mode))
    return S_ISDIR(old.st_mode) ? "it is a folder" : "it is not a regular file";
  const std::string folder = folderOf(followLinks(path));
  return access(folder.empty() ? "." : folder.c_str(), W_OK) == 0 ? "" : std::strerror(errno);
}

int openLog(const std::string &path, bool appends) {
  return openStream(path, O_CREAT | (appends ? O_APPEND : O_TRUNC));
}

} // namespace nacre
