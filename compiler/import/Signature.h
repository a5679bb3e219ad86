// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands that an operator's definition asks for, as rows of data.
//
// Why:  a handler meets only operands that its operator is defined for, and every complaint about one is made in one
//       place, with the operand's name.

#ifndef NACRE_COMPILER_IMPORT_SIGNATURE_H
#define NACRE_COMPILER_IMPORT_SIGNATURE_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <string>

namespace nacre::importer {

/// What an operand may hold.
enum class Holds {
  Stored,   ///< anything, narrow types too: floats of 8 and 4 bits, integers of 4 and 2 (NarrowTypes.h)
  Anything, ///< anything that is computed with
  Numbers,  ///< anything but bool
  Floats,
  Integers,
  Bytes,   ///< int8, uint8
  Indices, ///< int32, int64
  Booleans,
  Sequence, ///< a list of tensors
  Rows,     ///< a list of tensors, or one tensor, whose first axis numbers them
  AnyValue  ///< a tensor, a list, or nothing
};

/// `a floating-point type`
llvm::StringRef describe(Holds holds);

/// One operand: `"B?"` may be left out, `"inputs..."` is any number from one on, `"inputs...?"` any number. Operands of one
/// `group`, a letter, must share their element type.
struct OperandRule {
  const char *text;
  Holds holds = Holds::Anything;
  char group = 0;

  llvm::StringRef getName() const { return llvm::StringRef(text).rtrim("?."); }
  bool isOptional() const { return llvm::StringRef(text).ends_with("?"); }
  bool isRepeated() const { return llvm::StringRef(text).rtrim("?").ends_with("..."); }
};

/// Those that must be there come first; a repeated one comes last.
class Signature {
public:
  Signature(std::initializer_list<OperandRule> rules) : rules(rules) {}

  /// How messages call operand `index`: `operand 1 ('W')`.
  std::string nameOf(size_t index) const;

  /// Reports the first operand of `op` that is not as the rules say; null ones are left out.
  mlir::LogicalResult check(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::ArrayRef<OperandRule> getRules() const { return rules; }

private:
  const OperandRule *find(size_t index) const;
  mlir::LogicalResult checkCount(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::SmallVector<OperandRule> rules;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_SIGNATURE_H
