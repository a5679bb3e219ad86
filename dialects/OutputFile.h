// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a file that a program writes next to its final path, and moves there when it is complete.
// Why:   if several programs write to one path at a time, or one is killed, the path must hold a complete file of one
//        of them.
// How:   write to a unique name in the same folder, copy the old file's permissions, fsync, and rename. A symbolic link
//        stays, and the file that it leads to is replaced. Terminals and pipes are written directly; a pipe without a
//        reader is an error, not a wait. The temporary name is shortened, so that any valid name can be written. Uses
//        only the C library: nacre-run has no LLVM.

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
  /// Removes the file, unless keep() succeeded.
  ~OutputFile();

  /// Callback that receives the temporary name before the file exists, so that a signal handler can always remove it.
  using Announce = void (*)(const std::string &beside);

  /// Begins to write. Returns an error message, or "".
  std::string open(const std::string &path, Announce announce = nullptr);
  int descriptor() const { return file; }
  /// Returns the path of the temporary file, for programs that write to it by name; "" for a terminal or a pipe.
  const std::string &beside() const { return temporary; }
  std::string write(std::string_view bytes);
  /// Renames the file to its final path. Returns an error message, or "".
  std::string keep();

private:
  std::string problem() const;

  int file = -1;
  std::string target, temporary;
  unsigned permissions = 0; // Permissions of the old file.
  bool isNew = true;
};

/// Writes a whole file. Returns an error message, or "".
std::string writeFile(const std::string &path, std::string_view bytes, OutputFile::Announce announce = nullptr);

/// Returns a file name chosen by a program: `stem` and `extension`, or hashedFileNameOf() if that is too long for a
/// file.
std::string fileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns as much of `stem` as fits in the name of a file, a hash of `whole` (by default of the stem), and
/// `extension`.
std::string hashedFileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns the folder in a path, with the last slash; "" if the path has no folder.
std::string folderOf(const std::string &path);

/// Follows all symbolic links in the last part of a path. The file may not exist yet.
std::string followLinks(std::string path);

/// Returns why a regular file of that name could not be written, as far as this can be known in advance; else "".
std::string findOutputProblem(const std::string &path);

/// Opens a log, which is written in place: appends to it, or truncates it. Returns a value below 0, and sets errno, on
/// failure.
int openLog(const std::string &path, bool appends);

} // namespace nacre

#endif // NACRE_DIALECTS_OUTPUTFILE_H
