// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a file that a program writes: beside its place, which it takes when it is whole.
// Why:   what several programs write to one path at a time, or one that is killed, must be a whole file of one of them.
// How:   a name that no other process has, in the same folder; then the old file's permissions, fsync, rename. A symbolic
//        link stays, and the file that it leads to is replaced. Terminals and pipes are written to where they are; a pipe
//        that nobody reads is an error, not a wait. A name of any length that the system takes is written: the new one is
//        shorter. Uses only the C library: nacre-run has no LLVM.

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
  /// What was not kept is removed.
  ~OutputFile();

  /// Is called with the temporary name before the file exists, so that no signal finds a file that nobody removes.
  using Announce = void (*)(const std::string &beside);

  /// Begins to write; the problem, or "".
  std::string open(const std::string &path, Announce announce = nullptr);
  int descriptor() const { return file; }
  /// The file that is written, to whoever writes to it by its name; "" of a terminal or a pipe.
  const std::string &beside() const { return temporary; }
  std::string write(std::string_view bytes);
  /// Gives the file its name; the problem, or "".
  std::string keep();

private:
  std::string problem() const;

  int file = -1;
  std::string target, temporary;
  unsigned permissions = 0; // of the old file
  bool isNew = true;
};

/// Writes a whole file; the problem, or "".
std::string writeFile(const std::string &path, std::string_view bytes, OutputFile::Announce announce = nullptr);

/// Returns the name of a file that a program names itself: `stem` and `extension`, or hashedFileNameOf() if that is too long for a file.
std::string fileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns as much of `stem` as fits in the name of a file, a hash of `whole`, by default of the stem, and `extension`.
std::string hashedFileNameOf(std::string_view stem, std::string_view extension, std::string_view whole = {});

/// Returns the folder in a path, with the last slash; "" of a name.
std::string folderOf(const std::string &path);

/// Returns what a path leads to by all symbolic links in its last part; the file may not exist yet.
std::string followLinks(std::string path);

/// Why a regular file of that name could not be written, as far as can be told before; or "".
std::string findOutputProblem(const std::string &path);

/// Opens a log, which grows where it is: to its end, or from its beginning. Below 0, and errno, where that cannot be.
int openLog(const std::string &path, bool appends);

} // namespace nacre

#endif // NACRE_DIALECTS_OUTPUTFILE_H
