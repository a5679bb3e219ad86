// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a tensor of the reference interpreter.
// Why:   a reference must not round where the model does not ask for it, and must not lose a bit of an integer.
// How:   eight bytes for each element, in row-major order: a double for floats of every width, 64 bits for integers, which
//        are kept as the type has them (sign or zeros in front), so that operators that only move elements need not know
//        which. A tensor is not changed once others can see it; copies share its elements.

#ifndef NACRE_COMPILER_EVALUATE_CELLS_H
#define NACRE_COMPILER_EVALUATE_CELLS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <vector>

namespace nacre::evaluate {

/// An element: of a float the first, of all others the second.
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
  /// All elements are 0.
  explicit Tensor(mlir::RankedTensorType type);
  explicit Tensor(mlir::Type type) : Tensor(llvm::cast<mlir::RankedTensorType>(type)) {}

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  int64_t getRank() const { return type.getRank(); }
  int64_t size() const { return int64_t(cells->size()); }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(getElementType()); }
  /// Booleans are: false < true.
  bool isUnsigned() const { return getElementType().isUnsignedInteger() || getElementType().isInteger(1); }

  const Cell *begin() const { return cells->data(); }
  const Cell &operator[](int64_t index) const { return (*cells)[index]; }
  double number(int64_t index) const { return (*cells)[index].number; }
  int64_t integer(int64_t index) const { return (*cells)[index].integer; }
  /// Of a tensor that nobody else has seen.
  Cell *write() { return cells->data(); }

  /// The same elements under another type that has as many.
  Tensor withType(mlir::Type other) const;
  /// Floats as the element type holds them, and not in double; other elements as they are.
  Tensor asStored() const;

private:
  mlir::RankedTensorType type;
  std::shared_ptr<std::vector<Cell>> cells;
};

/// The nearest number that `type` has, rounded once, halves to even; beyond f16, bf16 and f32 are their infinities.
double roundTo(mlir::Type type, double value);

/// The code of a number that the float `type` of 16 bits or less has, its infinities too.
unsigned codeOf(mlir::Type type, double value);

/// `value` as elements of the integer `type` have it: its low bits. A boolean is whether it is not 0.
int64_t wrapTo(mlir::Type type, int64_t value);

/// Fails where the attribute has no bytes that can be read.
llvm::FailureOr<Tensor> fromConstant(mlir::ElementsAttr constant);

/// From and to the bytes that an app has: rounded to the type; elements of less than a byte are packed.
Tensor fromBytes(mlir::RankedTensorType type, llvm::ArrayRef<char> bytes);
std::vector<char> toBytes(const Tensor &tensor);

} // namespace nacre::evaluate

#endif // NACRE_COMPILER_EVALUATE_CELLS_H
