// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common handling of command lines for programs that link LLVM. LLVM's libraries register hundreds of options, among
// which --help would lose those of a program. Response files are expanded before LLVM sees the command line. Hidden
// options can still be given, and --help-hidden lists them.

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

/// Hides all options registered so far, except --help and the like. Options declared later belong to the program. Call
/// this first in a main that leaves declarations to MLIR.
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

/// Reports an error if the standard output cannot be written when the process exits. A program that would have
/// succeeded then has the exit status `status`. Call this first in main.
void watchStandardStreams(int status);

/// Reads main's command line, in which @<file> stands for the words of a file (tools/ResponseFile.h). LLVM's messages
/// are replaced by those of the other programs; an error does not begin with the program's name, which the caller adds.
/// If help is requested, prints it and ends the process. Empty values are errors. Adds the files with words to `files`.
llvm::Error parseOptions(int argc, char **argv, const Help &help, NamedFiles *files = nullptr);

/// Reads the command line of a program whose options MLIR declares. The program handles response files, help and empty
/// values.
llvm::Error parseWords(int count, char **words, llvm::StringRef overview);

/// True if one of the words requests help.
bool asksForHelp(llvm::ArrayRef<char *> words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMMANDLINE_H
