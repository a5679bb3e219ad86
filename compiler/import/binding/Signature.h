// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands that an operator's definition requires, as data.
//
// Handlers only see operands that their operator supports. All errors about operands are reported in one place, with
// the operand's name.

#ifndef NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H
#define NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <string>

namespace nacre::importer {

/// Kinds of values that an operand may have.
enum class Holds {
  Stored,   ///< any type, including 8- and 4-bit floats and 4- and 2-bit integers (NarrowTypes.h)
  Anything, ///< any type that supports arithmetic
  Numbers,  ///< any of these except bool
  Floats,
  Integers,
  Bytes,   ///< int8, uint8
  Indices, ///< int32, int64
  Booleans,
  Sequence, ///< a list of tensors
  Rows,     ///< a list of tensors, or one tensor, whose first axis numbers them
  AnyValue  ///< a tensor, a list, or nothing
};

/// Returns the kind for messages: `a floating-point type`.
llvm::StringRef describe(Holds holds);

/// Rule of one operand. `"B?"` is optional, `"inputs..."` stands for one or more operands, `"inputs...?"` for any
/// number. Operands of one `group`, a letter, must have the same element type.
struct OperandRule {
  const char *text;
  Holds holds = Holds::Anything;
  char group = 0;
  bool mayBeRows = false; ///< also allows a list of tensors

  llvm::StringRef getName() const { return llvm::StringRef(text).rtrim("?."); }
  bool isOptional() const { return llvm::StringRef(text).ends_with("?"); }
  bool isRepeated() const { return llvm::StringRef(text).rtrim("?").ends_with("..."); }
};

/// Rules of all operands. Required operands come first; a repeated one comes last.
class Signature {
public:
  Signature(std::initializer_list<OperandRule> rules) : rules(rules) {}
  explicit Signature(llvm::ArrayRef<OperandRule> rules) : rules(rules) {}

  /// Returns the name of operand `index` in messages: `operand 1 ('W')`.
  std::string nameOf(size_t index) const;

  /// Reports the first operand of `op` that violates the rules; null ones are missing.
  mlir::LogicalResult check(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::ArrayRef<OperandRule> getRules() const { return rules; }

private:
  const OperandRule *find(size_t index) const;
  mlir::LogicalResult checkCount(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::SmallVector<OperandRule> rules;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H
