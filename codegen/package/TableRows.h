// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  converts a scheduled plan module to rows of the runtime's tables: model_format.h's structs, without pointers.
// Why:   the contents of tables and the creation of an object file are separate concerns.
// How:   operations become steps and operands, in order. A text is an offset into one blob, and a shape an offset into
//        another.

#ifndef NACRE_CODEGEN_PACKAGE_TABLEROWS_H
#define NACRE_CODEGEN_PACKAGE_TABLEROWS_H

#include "codegen/package/StateRows.h"
#include "codegen/package/TableObject.h"
#include "runtime/include/nacre/model_format.h"

namespace nacre::package {

/// All texts of the model in one blob, without duplicates. A text is represented by its offset.
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
  llvm::SmallVector<nacre_tensor> inputs, outputs; ///< Tensors of the entry; the counts are the last outputs
  uint32_t counts = 0;
  llvm::SmallVector<nacre_step> steps;
  uint32_t firstWrite = 0; ///< Index of the first step that writes the state, like nacre_entry.first_write
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
  StateFileTexts stateFile; ///< Texts of the state's file, which are also in `strings`
};

/// Returns all rows. Fails if the model format lacks an element type of the module.
llvm::Expected<TableRows> readRows(const TableInputs &inputs);

} // namespace nacre::package

#endif // NACRE_CODEGEN_PACKAGE_TABLEROWS_H
