// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  the files that a command line names, and a check whether two of its options name the same file.
// Why:   an output that overwrites the model, another input or another output would destroy that file without an error.
// How:   existing files are compared by device and inode, so that links and spellings do not matter. Other files are
//        compared by their folder and name. Terminals, pipes and /dev/null may be named any number of times. The code
//        uses only the C library.

#ifndef NACRE_DIALECTS_NAMEDFILES_H
#define NACRE_DIALECTS_NAMEDFILES_H

#include <string>
#include <vector>

namespace nacre {

/// Files of a command line. A program adds each file with its option, as typed. It calls findProblem() before it writes
/// anything.
class NamedFiles {
public:
  /// Adds a file or folder that the program reads. Ignores an empty path.
  void addInput(const std::string &option, const std::string &path) { add(option, path, Use::Read); }
  /// Adds a file that the program writes.
  void addOutput(const std::string &option, const std::string &path) { add(option, path, Use::Written); }
  /// Adds a folder in which the program writes files. These files are not added themselves.
  void addFolder(const std::string &option, const std::string &path) { add(option, path, Use::Folder); }
  /// Lets an output replace an input that the program reads completely before it writes. Training continues a state
  /// file like this.
  void letReplace(const std::string &outputOption, const std::string &inputOption);

  /// Returns an error message for the first two options that name the same file, if at least one of them writes it.
  /// Returns "" if there is no such pair.
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
  std::vector<std::pair<std::string, std::string>> replacements; // Outputs, and the inputs that they may replace.
};

} // namespace nacre

#endif // NACRE_DIALECTS_NAMEDFILES_H
