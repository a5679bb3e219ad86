// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  maps names of phones' chips to their cores, and to the features that all of these cores have.
// Why:   a developer knows the phone, not its cores. A thread may run on any core, so code may only use features of all
//        cores.
// How:   a table names cores as LLVM does, and LLVM knows their features. Device profiles use the same chip names.

#ifndef NACRE_CODEGEN_CHIPS_H
#define NACRE_CODEGEN_CHIPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace nacre::codegen {

/// Cores of one kind.
struct ChipCluster {
  llvm::StringRef core; ///< LLVM's name of the core.
  unsigned cores = 0;
};

struct Chip {
  llvm::StringLiteral vendor;
  llvm::StringLiteral name;
  llvm::StringLiteral models; ///< Other names of the same chip, or of chips with the same cores, separated by commas.
  llvm::StringLiteral cores;  ///< Cores, the fastest first, such as `1 cortex-x3, 3 cortex-a715`.
  /// A feature that LLVM gives to all of these cores, but that some of their hardware revisions lack.
  llvm::StringLiteral lacks;

  /// Returns `cores` as clusters, in the same order.
  llvm::SmallVector<ChipCluster> clusters() const;
};

/// Returns all chips, grouped by vendor.
llvm::ArrayRef<Chip> chips();

/// Returns the chip with the name or model number `name`, ignoring case. Null if no chip matches.
const Chip *findChip(llvm::StringRef name);

/// Returns the names and model numbers of all chips.
std::vector<std::string> chipNames();

/// Returns LLVM's names of the features of an arm64 core. Empty if LLVM does not know the core.
std::vector<std::string> featuresOfCore(llvm::StringRef core);

/// Returns LLVM's names of the features that all cores of the chip have.
std::vector<std::string> featuresOf(const Chip &chip);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_CHIPS_H
