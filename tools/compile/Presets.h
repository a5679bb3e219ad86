// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  words of --for= that stand for several options each.
// Why:   who compiles for phones need not know what their CPUs are called.
// How:   a table of options as they would be typed. What is typed beats what a word stands for, option by option.

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
  llvm::StringLiteral what; ///< A sentence fragment.
  llvm::ArrayRef<PresetOption> options;

  /// Of an option; empty where it is none of the preset's.
  llvm::StringRef valueOf(llvm::StringRef option) const;
};

llvm::ArrayRef<Preset> presets();

/// Null where there is none of that word.
const Preset *findPreset(llvm::StringRef word);

/// For each its word, and what it stands for.
void listPresets(llvm::raw_ostream &os);

} // namespace nacre::tools

#endif // NACRE_TOOLS_COMPILE_PRESETS_H
