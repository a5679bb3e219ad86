// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the page of all operators that have handlers, from the registries.

#include "compiler/import/Formats.h"
#include "compiler/import/Import.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace nacre::importer {

/// Returns the range of versions: `7 to 28`, or `1 on` for a registry without a newest version.
static std::string describeVersions(const ImportRegistry &registry, int64_t first) {
  int64_t newest = registry.getNewestVersion();
  return std::to_string(first) + (newest == INT64_MAX ? std::string(" on") : " to " + std::to_string(newest));
}

/// Returns the operands as text: `X of a floating-point type, B?`. Optional operands have a question mark.
static std::string describeOperands(const Signature &signature) {
  return llvm::join(llvm::map_range(signature.getRules(),
                                    [](const OperandRule &rule) {
                                      std::string text = "`" + std::string(rule.text) + "`";
                                      if (rule.holds != Holds::Anything)
                                        text += " " + describe(rule.holds).str();
                                      if (rule.mayBeRows)
                                        text += " or an array of rows";
                                      return text;
                                    }),
                    ", ");
}

static void printOperators(llvm::raw_ostream &os, const OperatorSet &set) {
  const ImportRegistry &registry = *set.registry;
  if (!set.domain.empty())
    os << "\n### Domain " << set.domain << "\n";
  os << "\n| operator | " << registry.getVersionWord() << " | operands | not taken |\n|---|---|---|---|\n";
  SmallVector<StringRef> names(registry.getEntries().keys());
  llvm::sort(names);
  for (StringRef name : names) {
    const auto &versions = registry.getEntries().find(name)->second;
    os << "| " << name << " | " << describeVersions(registry, versions.front().since) << " | "
       << describeOperands(versions.back().signature) << " | " << registry.getLimit(name) << " |\n";
  }
}

void printOperators(llvm::raw_ostream &os) {
  os << "# Operators\n\n"
        "What nacre-compile reads, printed by itself (`nacre-compile --list-operators`). Operands are those of the "
        "newest "
        "version; a question mark stands for one that may be left out, dots for any number of them. An operand that "
        "decides a shape must be a constant, or be fixed with `--set`.\n";
  for (const Format *format : getFormats()) {
    os << "\n## " << format->title << "\n";
    for (const OperatorSet &set : format->getOperators())
      printOperators(os, set);
  }
}

} // namespace nacre::importer
