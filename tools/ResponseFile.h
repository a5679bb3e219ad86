// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands command lines in which @<file> stands for the words in a file. Builds keep options in files, and long lists
// of options may exceed the system's limit for a command line.
//
// The syntax is the same as in GNU's and LLVM's programs. Spaces, tabs and line ends separate words, but not inside
// '...' and "...". The character after a backslash is taken literally, also in quotes. A missing file is an error,
// whereas LLVM's own reader would pass its name on as an argument. Only the standard library is used, because nacre-run
// is linked without LLVM.

#ifndef NACRE_TOOLS_RESPONSEFILE_H
#define NACRE_TOOLS_RESPONSEFILE_H

#include "dialects/NamedFiles.h"

#include <string>
#include <string_view>
#include <vector>

namespace nacre::tools {

/// The words of a command line. The object owns the words that values() points to.
class Arguments {
public:
  /// Reads main's arguments. If a file cannot be used, sets `problem`; otherwise, `problem` is unchanged.
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

/// Section of --help about response files.
inline constexpr const char kResponseFileHelp[] =
    "\nRESPONSE FILES\n"
    "  @<file>  Arguments in a file, separated by spaces and line ends; quotes and\n"
    "           \\ as in a shell; may contain @<file>\n";

/// Adds the words of `text` to `words`. Returns false if a quote is not closed.
bool splitWords(std::string_view text, std::vector<std::string> &words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_RESPONSEFILE_H
