// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM prints some messages to a given stream, and others to the standard error. This file catches both, and rewrites
// the first message. A message of an unknown form is passed on unchanged.

#include "tools/CommandLine.h"
#include "tools/NearestName.h"
#include "tools/ResponseFile.h"
#include "tools/StandardStreams.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace nacre::tools {
namespace {

/// Catches the text written to the standard error during its lifetime. Without room for a temporary file, it catches
/// nothing.
class CaughtErrors {
public:
  CaughtErrors() : file(std::tmpfile()), before(file ? dup(STDERR_FILENO) : -1) {
    if (before >= 0)
      dup2(fileno(file), STDERR_FILENO);
    current = this;
  }
  ~CaughtErrors() {
    release();
    current = nullptr;
    if (file)
      std::fclose(file);
  }
  CaughtErrors(const CaughtErrors &) = delete;

  /// Releases the stream if LLVM ends the process, for example after --version.
  static void releaseAtExit() {
    if (current)
      current->release();
  }

  /// Restores the standard error, and returns the caught text.
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
  static inline CaughtErrors *current = nullptr;
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

/// Returns the positional arguments in the form of the usage line.
std::string positionalNames() {
  const auto names = map_range(cl::SubCommand::getTopLevel().PositionalOpts,
                               [](const cl::Option *option) { return option->HelpStr.str(); });
  return join(names, " ");
}

/// Flushes the standard output of LLVM and of the C library. Returns the reason if that fails, or "".
std::string flushOutputs() {
  CaughtErrors::releaseAtExit();
  outs().flush();
  const std::error_code error = outs().error();
  outs().clear_error(); // otherwise LLVM would end the program with its own message
  errs().clear_error();
  if (error)
    return error == std::errc::bad_file_descriptor ? "it is closed" : error.message();
  return flushStandardOutput();
}

/// Returns the expected value of an option, from its entry in --help.
std::string describeValue(const cl::Option &option) {
  const StringRef value = option.ValueStr;
  if (value.empty())
    return "true or false";
  SmallVector<StringRef> words;
  value.split(words, '|');
  const auto isWord = [](StringRef word) { return all_of(word, [](char c) { return isAlnum(c) || c == '-'; }); };
  if (words.size() < 2 || !all_of(words, isWord))
    return ("<" + value + ">").str();
  return join(drop_end(words), ", ") + " or " + words.back().str();
}

/// Returns an error about the first option whose value is empty.
Error refuseEmptyValues(ArrayRef<char *> words) {
  const auto &known = cl::getRegisteredOptions();
  for (size_t at = 1; at < words.size(); ++at) {
    const StringRef word = words[at];
    if (word == "--") // only files follow
      break;
    const auto [name, value] = word.ltrim('-').split('=');
    const cl::Option *option = word.starts_with("-") ? known.lookup(name) : nullptr;
    if (!option)
      continue;
    const bool takesNext = !word.contains('=') && option->getValueExpectedFlag() == cl::ValueRequired;
    at += takesNext;
    const bool isEmpty = takesNext ? at < words.size() && StringRef(words[at]).empty() : word.ends_with("=");
    if (isEmpty && value.empty())
      return createStringError(word.take_front(word.find('=')) + " must be " + describeValue(*option) +
                               ", but is ''; see --help");
  }
  return Error::success();
}

/// Returns the kind of value, in plain words, for the name of an LLVM parser of numbers.
StringRef describeKind(StringRef kind) {
  if (kind.starts_with("u"))
    return "a whole number, at least 0";
  return kind.starts_with("floating") ? "a number" : "a whole number";
}

/// Rewrites LLVM's message "for the <option> option: <message>".
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
    if (!word.starts_with("-"))
      return ("the arguments must be options, but there is '" + word + "'; see --help").str();
    return unknownOption(word.ltrim('-').split('=').first, optionNames());
  }
  if (said.starts_with("Not enough positional"))
    return positionalNames() + " must be given; see --help";
  if (said.starts_with("Too many positional"))
    return "the arguments must be " + positionalNames() + ", but there are more; see --help";
  return said.str();
}

} // namespace

void watchStandardStreams(int status) {
  static OutputCheck check{status, flushOutputs};
  (void)outs(); // constructs LLVM's stream before the check is installed, so that it is destroyed after the check
  (void)errs();
  watchStandardStreams(check);
}

bool asksForHelp(ArrayRef<char *> words) {
  return any_of(words, [](StringRef word) { return word == "--help" || word == "-help" || word == "-h"; });
}

Error parseOptions(int argc, char **argv, const Help &help, NamedFiles *files) {
  std::string problem;
  Arguments arguments(argc, argv, problem);
  if (files)
    arguments.addFilesTo(*files);
  if (!problem.empty())
    return createStringError(problem);
  if (asksForHelp(ArrayRef(arguments.values(), arguments.count()))) {
    printHelp(outs(), help);
    outs().flush();
    std::exit(0);
  }
  if (Error error = parseWords(arguments.count(), arguments.values(), help.overview))
    return error;
  return refuseEmptyValues(ArrayRef(arguments.values(), arguments.count()));
}

Error parseWords(int count, char **words, StringRef overview) {
  // Replaces LLVM's -h, which would also match any unknown option that begins with h.
  static cl::opt<bool> shortHelp("h", cl::ReallyHidden);
  std::string messages;
  raw_string_ostream stream(messages);
  CaughtErrors caught;
  if (cl::ParseCommandLineOptions(count, words, overview, &stream))
    return Error::success();
  return createStringError(rewrite(caught.release() + messages, sys::path::filename(words[0])));
}

} // namespace nacre::tools
