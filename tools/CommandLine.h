// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the programs that link LLVM do alike with their command lines.
// Why:   LLVM's libraries register hundreds of options of their own, among which --help would lose a program's.
// How:   over LLVM's registry of options, which never sees a response file. Whatever is hidden can still be given, and --help-hidden lists it.

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

/// Hides all options that are registered already, but --help and its like: those that are declared later are a
/// program's own. Comes first in a main that leaves declaring to MLIR.
inline void hideOptionsOfLibraries() {
  static llvm::cl::OptionCategory nobodys("");
  llvm::cl::HideUnrelatedOptions(nobodys);
}

/// What --version prints. `program` must be a literal.
template <size_t size> void setVersion(const char (&program)[size]) {
  llvm::cl::SetVersionPrinter([name = &program[0]](llvm::raw_ostream &os) {
    os << name << " " << NACRE_VERSION << ", with LLVM " << LLVM_VERSION_STRING << "\n";
  });
}

/// Called first in main. When the process exits, a standard output that cannot be written is an error; `status` is then the exit status
/// of a program that would have succeeded.
void watchStandardStreams(int status);

/// Reads main's command line, in which files may stand for their words (tools/ResponseFile.h). The error does not begin with the
/// program's name; its caller says that, as in its other messages. LLVM's messages are replaced by those of the other programs.
/// If they ask for help, it is printed, and the process ends. Empty values are errors. Adds the files that stand for words to `files`.
llvm::Error parseOptions(int argc, char **argv, const Help &help, NamedFiles *files = nullptr);

/// The same for a program whose options MLIR declares: response files and help are its own task, and so are empty values.
llvm::Error parseWords(int count, char **words, llvm::StringRef overview);

/// Whether one of the words asks for help.
bool asksForHelp(llvm::ArrayRef<char *> words);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMMANDLINE_H
