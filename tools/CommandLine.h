// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the programs that link LLVM do alike with their command lines.
// Why:   LLVM's libraries register hundreds of options of their own, among which --help would lose a program's.
// How:   inline, over LLVM's registry of options, which never sees a response file. Whatever is hidden can still be given, and --help-hidden lists it.

#ifndef NACRE_TOOLS_COMMANDLINE_H
#define NACRE_TOOLS_COMMANDLINE_H

#include "tools/ResponseFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

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

/// Reads main's command line, in which files may stand for their words (tools/ResponseFile.h). The error does not begin with the
/// program's name; its caller says that, as in its other messages.
/// `showHelp`, if any, answers --help in place of LLVM; then the process ends.
inline llvm::Error parseOptions(int argc, char **argv, llvm::StringRef overview,
                                llvm::function_ref<void()> showHelp = nullptr) {
  std::string problem;
  Arguments arguments(argc, argv, problem);
  if (!problem.empty())
    return llvm::createStringError(problem);
  const auto asksForHelp = [](llvm::StringRef word) { return word == "--help" || word == "-help" || word == "-h"; };
  if (showHelp && llvm::any_of(llvm::ArrayRef(arguments.values(), arguments.count()), asksForHelp)) {
    showHelp();
    std::exit(0);
  }
  static const llvm::cl::extrahelp more(kResponseFileHelp); // behind the program's own
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  if (llvm::cl::ParseCommandLineOptions(arguments.count(), arguments.values(), overview, &stream))
    return llvm::Error::success();
  llvm::StringRef said = llvm::StringRef(messages).rtrim();
  said.consume_front((llvm::sys::path::filename(argv[0]) + ": ").str());
  return llvm::createStringError(said);
}

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMMANDLINE_H
