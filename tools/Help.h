// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  --help of the programs that link LLVM: options by task, the most used ones first, on lines of 80 columns.
// Why:   LLVM sorts options by name, on lines as long as they come.
// How:   a program names its options in groups; spellings and texts are those of its declarations. Manual pages and shells' completions
//        are made of it, so that an option that no group names is noticed when Nacre is built.

#ifndef NACRE_TOOLS_HELP_H
#define NACRE_TOOLS_HELP_H

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace nacre::tools {

/// A task, and the options for it by name.
struct HelpGroup {
  llvm::StringRef title;
  std::vector<llvm::StringRef> names;
};

struct Help {
  llvm::StringRef overview;                 ///< A sentence.
  llvm::StringRef usage;                    ///< After the word USAGE.
  const llvm::cl::OptionCategory *category; ///< Its options must be in a group. Null: no option must.
  std::vector<HelpGroup> groups;
  std::string closing; ///< Text after the options, such as examples.
};

/// Where the text about an option begins.
constexpr unsigned kHelpColumn = 24;

/// Prints a word that is explained, and its text, which begins at `column` and goes on there on the next lines.
void printEntry(llvm::raw_ostream &os, const llvm::Twine &word, llvm::StringRef text, unsigned column = kHelpColumn);

void printHelp(llvm::raw_ostream &os, const Help &help);

} // namespace nacre::tools

#endif // NACRE_TOOLS_HELP_H
