// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the files that a command line names, and whether two of its options name one file.
// Why:   an output that takes the place of the model, of another input or of another output loses that file without an error.
// How:   files that exist are compared by device and number, so that links and spellings do not matter. Those that do not exist yet are
//        compared by their folder and name. Terminals, pipes and /dev/null may be named as often as one likes. Uses only the C library.

#ifndef NACRE_DIALECTS_NAMEDFILES_H
#define NACRE_DIALECTS_NAMEDFILES_H

#include <string>
#include <vector>

namespace nacre {

/// Programs add each file under the option that names it, as it is typed, and ask before they write anything.
class NamedFiles {
public:
  /// A file or folder that the program reads. An empty path is none.
  void addInput(const std::string &option, const std::string &path) { add(option, path, Use::Read); }
  /// A file that the program writes.
  void addOutput(const std::string &option, const std::string &path) { add(option, path, Use::Written); }
  /// A folder in which the program writes files, which are outputs of their own.
  void addFolder(const std::string &option, const std::string &path) { add(option, path, Use::Folder); }
  /// Lets an output take the place of an input that is read completely before: that is how a state goes on.
  void letReplace(const std::string &outputOption, const std::string &inputOption);

  /// Returns what is wrong: the first two options that name one file, of which at least one is written; "" if there are none.
  std::string findProblem() const;

private:
  enum class Use { Read, Written, Folder };
  struct File {
    std::string option, path;
    Use use;
  };

  void add(const std::string &option, const std::string &path, Use use);
  bool mayBeOne(const File &a, const File &b) const;

  std::vector<File> files;
  std::vector<std::pair<std::string, std::string>> replacements; // outputs, and the inputs that they may replace
};

} // namespace nacre

#endif // NACRE_DIALECTS_NAMEDFILES_H
