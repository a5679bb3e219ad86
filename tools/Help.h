// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints --help of programs that link LLVM: options by task, the most used options first, in lines of 80 columns. LLVM
// would sort options by name and would not wrap lines. A program lists its options in groups; spellings and texts come
// from their declarations. The build makes manual pages and completions for shells from the help, so it finds options
// without a group.

#ifndef NACRE_TOOLS_HELP_H
#define NACRE_TOOLS_HELP_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nacre::tools {

/// A task, and the names of its options.
struct HelpGroup {
  llvm::StringRef title;
  std::vector<llvm::StringRef> names;
};

struct Help {
  llvm::StringRef overview;                 ///< Sentence about the program.
  llvm::StringRef usage;                    ///< Text after the word USAGE.
  const llvm::cl::OptionCategory *category; ///< Category whose options must all be in groups; null: no check.
  std::vector<HelpGroup> groups;
  std::string closing; ///< Text after the options, such as examples.
};

/// Column where the text about an option begins.
constexpr unsigned kHelpColumn = 24;

/// Prints a word and the text that explains it. Each line of the text begins at `column`.
void printEntry(llvm::raw_ostream &os, const llvm::Twine &word, llvm::StringRef text, unsigned column = kHelpColumn);

void printHelp(llvm::raw_ostream &os, const Help &help);

} // namespace nacre::tools

#endif // NACRE_TOOLS_HELP_H
