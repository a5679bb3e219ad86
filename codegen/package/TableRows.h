// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What: a scheduled plan module as the rows that the runtime walks: model_format.h's structs, pointers apart.
// Why:  what is said of a model, and how constants become an object, are two questions.
// How:  operations in order become steps and operands; texts and shapes go into one blob each, and are offsets into it.

#ifndef NACRE_CODEGEN_PACKAGE_TABLEROWS_H
#define NACRE_CODEGEN_PACKAGE_TABLEROWS_H

#include "codegen/package/StateRows.h"
#include "codegen/package/TableObject.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

/// All texts of the model in one blob, each once; a text is its offset.
class Strings {
public:
  Strings() { add(""); }
  uint32_t add(llvm::StringRef text);

  llvm::SmallVector<char> blob;

private:
  llvm::StringMap<uint32_t> offsets;
};

struct EntryRows {
  uint32_t name = 0;
  uint64_t arenaBytes = 0;
  llvm::SmallVector<nacre_tensor> inputs, outputs; ///< Counts are the last of the outputs.
  uint32_t counts = 0;
  llvm::SmallVector<nacre_step> steps;
  uint32_t firstWrite = 0; ///< As nacre_entry.first_write.
  llvm::SmallVector<nacre_operand> operands;
};

struct TableRows {
  Strings strings;
  llvm::SmallVector<int64_t> dims;
  llvm::SmallVector<uint32_t> kernelNames;
  llvm::SmallVector<nacre_weight> weights;
  std::vector<EntryRows> entries;
  llvm::SmallVector<nacre_variable> variables;
  uint64_t stateBytes = 0;
  StateFileTexts stateFile; ///< Its texts are strings already.
};

/// Fails where the model format lacks the type of an element.
llvm::Expected<TableRows> readRows(const TableInputs &inputs);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TABLEROWS_H
