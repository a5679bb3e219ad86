// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Presets of --for=. Each is a word that sets several options, so that users need not know the CPUs of phones. A table
// contains the options as a user would type them. An explicit option replaces the preset's option.

#ifndef NACRE_TOOLS_COMPILE_PRESETS_H
#define NACRE_TOOLS_COMPILE_PRESETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace nacre::tools {

struct PresetOption {
  llvm::StringLiteral name, value;

  std::string typed() const { return (llvm::Twine("--") + name + "=" + value).str(); }
};

struct Preset {
  llvm::StringLiteral word;
  llvm::StringLiteral what; ///< Description for --help, without a verb.
  llvm::ArrayRef<PresetOption> options;

  /// Returns the preset's value of an option, or "" if the preset does not have the option.
  llvm::StringRef valueOf(llvm::StringRef option) const;
};

llvm::ArrayRef<Preset> presets();

/// Returns the preset with the name `word`, or null.
const Preset *findPreset(llvm::StringRef word);

/// Prints each preset with its options.
void listPresets(llvm::raw_ostream &os);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PRESETS_H
