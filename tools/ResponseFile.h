// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a command line in which @<file> stands for the words in a file.
// Why:   a build's options are a list that is kept in a file, and may be longer than a system lets a command line be.
// How:   as GNU's and LLVM's programs read such files: spaces, tabs and ends of lines part words; '...' and "..." keep them
//        together; a backslash takes the next character as it is, also in quotes. A file that is not there is
//        an error; LLVM's own reader takes its name for an argument. The standard library alone: nacre-run is linked without LLVM.

#ifndef NACRE_TOOLS_RESPONSEFILE_H
#define NACRE_TOOLS_RESPONSEFILE_H

#include "dialects/NamedFiles.h"

#include <string>
#include <string_view>
#include <vector>

namespace nacre::tools {

/// The words of a command line. Holds what values() points to.
class Arguments {
public:
  /// Of main's. `problem` is filled where a file cannot be taken, and left alone otherwise.
  Arguments(int count, char **arguments, std::string &problem);
  Arguments(const Arguments &) = delete;

  int count() const { return static_cast<int>(words.size()); }
  /// As main's: they end with a null pointer.
  char **values() { return pointers.data(); }
  /// Adds the files that were read, as inputs.
  void addFilesTo(NamedFiles &named) const {
    for (const std::string &path : files)
      named.addInput("@" + path, path);
  }

private:
  std::vector<std::string> words, files;
  std::vector<char *> pointers;
};

/// The section of --help about such files.
inline constexpr const char kResponseFileHelp[] =
    "\nRESPONSE FILES\n"
    "  @<file>  Arguments in a file, separated by spaces and line ends; quotes and\n"
    "           \\ as in a shell; may contain @<file>\n";

/// Adds the words of `text` to `words`; false where a quote has no end.
bool splitWords(std::string_view text, std::vector<std::string> &words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_RESPONSEFILE_H
