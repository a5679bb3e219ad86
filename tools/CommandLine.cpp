// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  see CommandLine.h.
// Why:   see there.
// How:   LLVM prints some messages to the stream that it is given and others to the standard error. Both are caught, and the first one
//        is rewritten. A message of an unknown form is passed on as it is.

#include "tools/CommandLine.h"
#include "tools/NearestName.h"
#include "tools/ResponseFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace nacre::tools {
namespace {

/// What is written to the standard error while it lives. If there is no room for a temporary file, nothing is caught.
class CaughtErrors {
public:
  CaughtErrors() : file(std::tmpfile()), before(file ? dup(STDERR_FILENO) : -1) {
    if (before >= 0)
      dup2(fileno(file), STDERR_FILENO);
  }
  ~CaughtErrors() {
    release();
    if (file)
      std::fclose(file);
  }
  CaughtErrors(const CaughtErrors &) = delete;

  /// Makes the standard error what it was, and returns the text.
  std::string release() {
    if (before < 0)
      return "";
    dup2(before, STDERR_FILENO);
    close(before);
    before = -1;
    std::string text;
    if (std::fseek(file, 0, SEEK_SET) != 0)
      return text;
    char part[4096];
    while (const size_t count = std::fread(part, 1, sizeof part, file))
      text.append(part, count);
    return text;
  }

private:
  std::FILE *file;
  int before;
};

std::vector<std::string> optionNames() {
  std::vector<std::string> names;
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == cl::NotHidden && name.size() > 1)
      names.push_back(name.str());
  sort(names); // the registry is a hash table
  return names;
}

/// The positional arguments as the usage shows them.
std::string positionalNames() {
  const auto names = map_range(cl::SubCommand::getTopLevel().PositionalOpts,
                               [](const cl::Option *option) { return option->HelpStr.str(); });
  return join(names, " ");
}

/// The kind of value that a number's parser names.
StringRef describeKind(StringRef kind) {
  if (kind.starts_with("u"))
    return "a whole number, at least 0";
  return kind.starts_with("floating") ? "a number" : "a whole number";
}

/// Rewrites "for the <option> option: <message>".
std::string rewriteOption(StringRef option, StringRef message) {
  const auto refuse = [&](const Twine &expected, StringRef quoted) {
    return (option + " must be " + expected + ", but is " + quoted + "'; see --help").str();
  };
  if (const size_t at = message.rfind("' value invalid for "); at != StringRef::npos)
    return refuse(describeKind(message.substr(at).drop_front(strlen("' value invalid for "))), message.take_front(at));
  if (message.contains("' is invalid value for boolean"))
    return (option + " takes no value; see --help").str();
  if (message.consume_front("Cannot find option named ") && message.consume_back("'!"))
    return refuse("one of its values", message);
  if (message.starts_with("requires a value"))
    return (option + " requires a value; see --help").str();
  if (message.starts_with("does not allow a value"))
    return (option + " takes no value").str();
  return (option + " " + message).str();
}

std::string rewrite(StringRef said, StringRef program) {
  said = said.trim();
  said.consume_front((program + ": ").str());
  if (said.consume_front("for the ")) {
    const auto [option, message] = said.split(" option: ");
    return rewriteOption(option, message.split("!\n").first);
  }
  if (said.consume_front("Unknown command line argument '")) {
    StringRef word = said.take_front(said.find("'.  Try:"));
    return unknownOption(word.ltrim('-').split('=').first, optionNames());
  }
  if (said.starts_with("Not enough positional"))
    return positionalNames() + " must be given; see --help";
  if (said.starts_with("Too many positional"))
    return "the arguments must be " + positionalNames() + ", but there are more; see --help";
  return said.str();
}

} // namespace

bool asksForHelp(ArrayRef<char *> words) {
  return any_of(words, [](StringRef word) { return word == "--help" || word == "-help" || word == "-h"; });
}

Error parseOptions(int argc, char **argv, const Help &help) {
  std::string problem;
  Arguments arguments(argc, argv, problem);
  if (!problem.empty())
    return createStringError(problem);
  if (asksForHelp(ArrayRef(arguments.values(), arguments.count()))) {
    printHelp(outs(), help);
    outs().flush();
    std::exit(0);
  }
  // Takes the place of LLVM's -h, for which every unknown option that begins with h would be taken.
  static cl::opt<bool> shortHelp("h", cl::ReallyHidden);
  std::string messages;
  raw_string_ostream stream(messages);
  CaughtErrors caught;
  if (cl::ParseCommandLineOptions(arguments.count(), arguments.values(), help.overview, &stream))
    return Error::success();
  return createStringError(rewrite(caught.release() + messages, sys::path::filename(argv[0])));
}

} // namespace nacre::tools
