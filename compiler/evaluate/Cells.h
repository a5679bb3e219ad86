// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor of the reference interpreter. A reference must not round unless the model does, and must keep every bit of an
// integer. So each element has eight bytes: a double for floats of every width, or 64 bits for integers. Integers are
// extended by their sign or by zeros. Operators that only move elements are therefore independent of the type. Elements
// are in row-major order. A shared tensor does not change, and copies share its elements.

#ifndef NACRE_COMPILER_EVALUATE_CELLS_H
#define NACRE_COMPILER_EVALUATE_CELLS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace nacre::evaluate {

/// Element of a tensor: `number` for floats, `integer` for all other types.
union Cell {
  double number;
  int64_t integer;
};

template <typename T> T get(const Cell &cell) {
  if constexpr (std::is_same_v<T, double>)
    return cell.number;
  else
    return T(cell.integer);
}

inline void set(Cell &cell, double value) { cell.number = value; }
inline void set(Cell &cell, int64_t value) { cell.integer = value; }
inline void set(Cell &cell, uint64_t value) { cell.integer = int64_t(value); }

class Tensor {
public:
  Tensor() = default;
  /// Creates a tensor of zeros.
  explicit Tensor(mlir::RankedTensorType type);
  explicit Tensor(mlir::Type type) : Tensor(llvm::cast<mlir::RankedTensorType>(type)) {}

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t size() const { return int64_t(cells->size()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(getElementType()); }
  /// True for unsigned integers and for booleans, so that false < true.
  bool isUnsigned() const { return getElementType().isUnsignedInteger() || getElementType().isInteger(1); }

  const Cell *begin() const { return cells->data(); }
  const Cell &operator[](int64_t index) const { return (*cells)[index]; }
  double number(int64_t index) const { return (*cells)[index].number; }
  int64_t integer(int64_t index) const { return (*cells)[index].integer; }
  /// Returns the elements for writing. Call it only before the tensor is shared.
  Cell *write() { return cells->data(); }

  /// Returns the same elements with another type of equal size.
  Tensor withType(mlir::Type other) const;
  /// Returns floats rounded from double to the element type. Other elements do not change.
  Tensor asStored() const;

private:
  mlir::RankedTensorType type;
  std::shared_ptr<std::vector<Cell>> cells;
};

/// Rounds once to the nearest value of `type`, halves to even. Values out of the range of f16, bf16 or f32 become
/// infinite.
double roundTo(mlir::Type type, double value);

/// Returns the bits of a value of the float `type`, which has at most 16 bits. The value may be infinite.
unsigned codeOf(mlir::Type type, double value);

/// Returns `value` truncated to the integer `type`. A boolean is true if `value` is not 0.
int64_t wrapTo(mlir::Type type, int64_t value);

/// Reads a constant. Fails if the data of the attribute cannot be read.
llvm::FailureOr<Tensor> fromConstant(mlir::ElementsAttr constant);

/// Convert from and to the data that apps use. Values are rounded to the type. Elements of less than a byte are packed.
Tensor fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
std::vector<char> toBytes(const Tensor &tensor);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_CELLS_H
