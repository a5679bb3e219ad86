// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  phones' chips by name: their cores, and the features that all of their cores have.
// Why:   a developer knows the phone, not its cores. A thread may run on any core, so code may use only features of all
//        cores.
// How:   a table names cores as LLVM does, which knows their features. Device profiles of chips have the names of this
//        table.

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
  llvm::StringRef core; ///< LLVM's name.
  unsigned cores = 0;
};

struct Chip {
  llvm::StringLiteral vendor;
  llvm::StringLiteral name;
  llvm::StringLiteral models; ///< Other names of the same chip, or of chips with the same cores, separated by commas.
  llvm::StringLiteral cores;  ///< Cores, the biggest first, such as `1 cortex-x3, 3 cortex-a715`.
  /// A feature that LLVM gives to all of these cores, but that some of their revisions lack.
  llvm::StringLiteral lacks;

  /// Returns the clusters of `cores`.
  llvm::SmallVector<ChipCluster> clusters() const;
};

/// Returns all chips, those of one vendor together.
llvm::ArrayRef<Chip> chips();

/// Returns the chip of that name or model number, ignoring case; null if no chip has it.
const Chip *findChip(llvm::StringRef name);

/// Returns the names of all chips, and their model numbers.
std::vector<std::string> chipNames();

/// Returns LLVM's names of the features that all cores of the chip have.
std::vector<std::string> featuresOf(const Chip &chip);

} // namespace nacre::codegen

#endif // NACRE_CODEGEN_CHIPS_H
