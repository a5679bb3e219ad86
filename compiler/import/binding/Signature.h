// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands that an operator's definition requires, as data.
//
// A handler only sees operands that its operator supports. Errors about operands are reported in one place, with the
// name of the operand.

#ifndef NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H
#define NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>
#include <string>

namespace nacre::importer {

/// Kind of values that an operand may have.
enum class Holds {
  Stored,   ///< Any type, including 8- and 4-bit floats and 4- and 2-bit integers (NarrowTypes.h).
  Anything, ///< Any type that supports arithmetic.
  Numbers,  ///< Any type that supports arithmetic, except bool.
  Floats,
  Integers,
  Bytes,   ///< The types int8 and uint8.
  Indices, ///< The types int32 and int64.
  Booleans,
  Sequence, ///< A list of tensors.
  Rows,     ///< A list of tensors, or one tensor whose first axis replaces the list.
  AnyValue  ///< A tensor, a list, or nothing.
};

/// Returns the name of the kind for messages: `a floating-point type`.
llvm::StringRef describe(Holds holds);

/// Rule of one operand. In `text`, `"B?"` is an optional operand, `"inputs..."` one or more operands, and
/// `"inputs...?"` any number of operands. Operands of the same `group`, a letter, must have the same element type.
struct OperandRule {
  const char *text;
  Holds holds = Holds::Anything;
  char group = 0;
  bool mayBeRows = false; ///< A list of tensors is also allowed.

  llvm::StringRef getName() const { return llvm::StringRef(text).rtrim("?."); }
  bool isOptional() const { return llvm::StringRef(text).ends_with("?"); }
  bool isRepeated() const { return llvm::StringRef(text).rtrim("?").ends_with("..."); }
};

/// Rules of all operands. Required operands come first, and a repeated operand comes last.
class Signature {
public:
  Signature(std::initializer_list<OperandRule> rules) : rules(rules) {}
  explicit Signature(llvm::ArrayRef<OperandRule> rules) : rules(rules) {}

  /// Returns the name of operand `index` in messages: `operand 1 ('W')`.
  std::string nameOf(size_t index) const;

  /// Reports the first operand of `op` that violates the rules. Null operands are missing.
  mlir::LogicalResult check(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::ArrayRef<OperandRule> getRules() const { return rules; }

private:
  const OperandRule *find(size_t index) const;
  mlir::LogicalResult checkCount(llvm::StringRef op, llvm::ArrayRef<mlir::Value> operands, mlir::Location loc) const;

  llvm::SmallVector<OperandRule> rules;
};

} // namespace nacre::importer

#endif // NACRE_COMPILER_IMPORT_BINDING_SIGNATURE_H
