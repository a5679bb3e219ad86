// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  an output file that is written under a temporary name, and renamed to its final path when it is complete.
// Why:   several programs may write to one path simultaneously, and a program may be killed. The path must then hold a
//        complete file of one of them.
// How:   write to a unique name in the same folder, copy the old file's permissions, fsync, and rename. A symbolic link
//        stays, and the file that it points to is replaced. Terminals and pipes are written directly. A pipe without a
//        reader is an error, so the program does not wait. The temporary name is shortened, so that any valid name can
//        be written. The code uses only the C library, because nacre-run has no LLVM.

#ifndef NACRE_DIALECTS_OUTPUTFILE_H
#define NACRE_DIALECTS_OUTPUTFILE_H

#include <string>
#include <string_view>

namespace nacre {

class OutputFile {
public:
  OutputFile() = default;
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
  /// Removes the temporary file, unless keep() succeeded.
  ~OutputFile();

  /// Callback that receives the temporary name before the file exists. A signal handler can then always remove the
  /// file.
  using Announce = void (*)(const std::string &beside);

  /// Opens the file for writing. Returns an error message, or "" if it succeeds.
  std::string open(const std::string &path, Announce announce = nullptr);
  int descriptor() const { return file; }
  /// Returns the path of the temporary file, for programs that write to it by name; "" for a terminal or a pipe.
  const std::string &beside() const { return temporary; }
  std::string write(std::string_view bytes);
  /// Renames the file to its final path. Returns an error message, or "" if it succeeds.
  std::string keep();

private:
  std::string problem() const;

  int file = -1;
  std::string target, temporary;
  unsigned permissions = 0; // Permissions of the old file.
  bool isNew = true;
};

/// Writes a whole file. Returns an error message, or "" if it succeeds.
std::string writeFile(const std::string &path, std::string_view bytes, OutputFile::Announce announce = nullptr);

/// Returns `stem` followed by `extension`. If that is too long for a file name, returns hashedFileNameOf() instead.
std::string fileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns a file name: as much of `stem` as fits, a hash of `whole` (by default of `stem`), and `extension`.
std::string hashedFileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns the folder of `path`, with the last slash; "" if the path has no folder.
std::string folderOf(const std::string &path);

/// Follows all symbolic links in the last component of `path`. The file need not exist.
std::string followLinks(std::string path);

/// Returns the reason why a regular file at `path` could not be written, as far as this can be known in advance; "" if
/// no reason is known.
std::string findOutputProblem(const std::string &path);

/// Opens a log, which is written in place. If `appends` is true, it is continued; otherwise, it is truncated. On
/// failure, returns a value below 0 and sets errno.
int openLog(const std::string &path, bool appends);

} // namespace nacre

#endif // NACRE_DIALECTS_OUTPUTFILE_H
