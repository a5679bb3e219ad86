// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles command lines of programs that link LLVM. LLVM's libraries register hundreds of options, so --help would not
// show a program's own options clearly. Response files are expanded before LLVM parses the command line. Hidden options
// still work, and --help-hidden lists them.

#ifndef NACRE_TOOLS_COMMANDLINE_H
#define NACRE_TOOLS_COMMANDLINE_H

#include "dialects/NamedFiles.h"
#include "tools/Help.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace nacre::tools {

/// Hides all options that are registered so far, except general ones such as --help. Options that are declared later
/// belong to the program. A program whose options MLIR declares must call this first in main.
inline void hideOptionsOfLibraries() {
  static llvm::cl::OptionCategory nobodys("");
  llvm::cl::HideUnrelatedOptions(nobodys);
}

/// Sets the output of --version. `program` must be a literal.
template <size_t size> void setVersion(const char (&program)[size]) {
  llvm::cl::SetVersionPrinter([name = &program[0]](llvm::raw_ostream &os) {
    os << name << " " << NACRE_VERSION << ", with LLVM " << LLVM_VERSION_STRING << "\n";
  });
}

/// Installs a check that reports an error if the standard output cannot be written when the process exits. The exit
/// status is then `status` instead of 0. Call this first in main.
void watchStandardStreams(int status);

/// Reads main's command line, in which @<file> stands for the words of a file (tools/ResponseFile.h). Errors have the
/// wording of Nacre's other programs instead of LLVM's. The caller must add the program's name in front. If help is
/// requested, prints it and ends the process. Empty values are errors. Adds the files whose words were read to `files`.
llvm::Error parseOptions(int argc, char **argv, const Help &help, NamedFiles *files = nullptr);

/// Reads the command line of a program whose options MLIR declares. Unlike parseOptions(), it leaves response files,
/// help and empty values to the program.
llvm::Error parseWords(int count, char **words, llvm::StringRef overview);

/// True if one of the words requests help.
bool asksForHelp(llvm::ArrayRef<char *> words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMMANDLINE_H
