// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/Help.h"
#include "tools/ResponseFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace llvm;

namespace nacre::tools {

/// Returns the spelling of an option: -o <file>, --name=<value>, --flag.
static std::string spellingOf(const cl::Option &option) {
  const bool isShort = option.ArgStr.size() == 1;
  std::string text = (Twine(isShort ? "-" : "--") + option.ArgStr).str();
  if (option.ValueStr.empty())
    return text;
  const std::string value = (isShort ? " <" : "=<") + option.ValueStr.str() + ">";
  return text + (option.getValueExpectedFlag() == cl::ValueOptional ? "[" + value + "]" : value);
}

/// Prints `text`, wrapped, from `column` on in each line. `at` is the number of characters that are already on the
/// first line.
static void printFilled(raw_ostream &os, StringRef text, size_t at, unsigned column) {
  constexpr unsigned kColumns = 80;
  bool isFirst = true;
  while (!text.empty()) {
    const auto [next, rest] = text.split(' ');
    if (!isFirst && at + 1 + next.size() > kColumns) {
      os << "\n";
      at = 0;
      isFirst = true;
    }
    if (isFirst) {
      if (at < column)
        os.indent(column - at);
      at = std::max<size_t>(at, column);
    } else {
      os << " ";
      ++at;
    }
    os << next;
    at += next.size();
    isFirst = false;
    text = rest;
  }
  os << "\n";
}

void printEntry(raw_ostream &os, const Twine &word, StringRef text, unsigned column) {
  const std::string head = ("  " + word).str();
  const bool fits = head.size() + 2 <= column;
  os << head << (fits ? "" : "\n");
  printFilled(os, text, fits ? head.size() : 0, column);
}

static void checkThatAllAreListed(const Help &help) {
  for (const auto &entry : cl::getRegisteredOptions()) {
    const cl::Option &option = *entry.second;
    const auto has = [&](const HelpGroup &group) { return is_contained(group.names, option.ArgStr); };
    if (is_contained(option.Categories, help.category) && option.getOptionHiddenFlag() == cl::NotHidden &&
        none_of(help.groups, has))
      report_fatal_error("--" + Twine(option.ArgStr) + " is in no group of --help");
  }
}

void printHelp(raw_ostream &os, const Help &help) {
  checkThatAllAreListed(help);
  printFilled(os, ("OVERVIEW: " + help.overview).str(), 0, 0);
  os << "\nUSAGE: " << help.usage << "\n\nOPTIONS:\n\n";
  for (const HelpGroup &group : help.groups) {
    os << group.title << ":\n\n";
    for (StringRef name : group.names) {
      const cl::Option *option = cl::getRegisteredOptions().lookup(name);
      if (!option)
        report_fatal_error("--help lists --" + Twine(name) + ", which is not an option");
      printEntry(os, spellingOf(*option), option->HelpStr);
    }
    os << "\n";
  }
  os << "General:\n\n";
  printEntry(os, "--help", "Print this text (--help-hidden: also the options of LLVM)");
  printEntry(os, "--version", "Print the version");
  os << help.closing << kResponseFileHelp;
}

} // namespace nacre::tools
