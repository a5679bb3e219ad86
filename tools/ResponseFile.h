// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands command lines in which @<file> stands for the words in a file. A build may keep its options in a file, and
// these may exceed the system's limit for a command line.
//
// The syntax is that of GNU's and LLVM's programs: spaces, tabs and line ends separate words, and '...' and "..." keep
// them together. A backslash takes the next character literally, also in quotes. A missing file is an error, whereas
// LLVM's own reader would pass its name on as an argument. Only the standard library is used, because nacre-run is
// linked without LLVM.

#ifndef NACRE_TOOLS_RESPONSEFILE_H
#define NACRE_TOOLS_RESPONSEFILE_H

#include "dialects/NamedFiles.h"

#include <string>
#include <string_view>
#include <vector>

namespace nacre::tools {

/// The words of a command line. Owns the words that values() points to.
class Arguments {
public:
  /// Reads main's arguments. Sets `problem` if a file cannot be used, and leaves it unchanged otherwise.
  Arguments(int count, char **arguments, std::string &problem);
  Arguments(const Arguments &) = delete;

  int count() const { return static_cast<int>(words.size()); }
  /// Returns the words in main's form, with a null pointer at the end.
  char **values() { return pointers.data(); }
  /// Adds the files with words to `named`, as inputs.
  void addFilesTo(NamedFiles &named) const {
    for (const std::string &path : files)
      named.addInput("@" + path, path);
  }

private:
  std::vector<std::string> words, files;
  std::vector<char *> pointers;
};

/// Section of --help about such files.
inline constexpr const char kResponseFileHelp[] =
    "\nRESPONSE FILES\n"
    "  @<file>  Arguments in a file, separated by spaces and line ends; quotes and\n"
    "           \\ as in a shell; may contain @<file>\n";

/// Adds the words of `text` to `words`; returns false if a quote has no end.
bool splitWords(std::string_view text, std::vector<std::string> &words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_RESPONSEFILE_H
