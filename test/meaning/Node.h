// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  a random node: an operator of nn as text, its operands, and how exact each of its results must be.
// Why:   code that draws nodes need not know how they are computed or compared.
// How:   a draw writes the node's text and names its operands as it draws them. The same seed draws the same node.

#ifndef NACRE_TEST_MEANING_NODE_H
#define NACRE_TEST_MEANING_NODE_H

#include "compiler/evaluate/Cells.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace nacre::meaning {

using Shape = llvm::SmallVector<int64_t>;

/// Largest distance of a result from the exact one. Results of integers are exact whatever it says.
struct Bound {
  double ulps = 0;              ///< Units in the last place of the result.
  double near = 0;              ///< The same of the number 1.
  double terms = 0;             ///< The same of the result that the absolute values of all operands have.
  bool isZeroSigned = true;     ///< The sign of a zero counts: not of sums, maxima and deviations (NnOps.td).
  bool isStoredBetween = false; ///< Intermediate results are rounded to the element type instead of f32.
};

struct Operand {
  evaluate::Tensor value;
  bool isConstant = false; ///< True if it is a constant of the compiled model.
};

struct Node {
  uint64_t seed = 0;
  std::string text; ///< Its last operation is the node. Operands are %0, %1 and so on.
  std::vector<Operand> operands;
  std::vector<Bound> bounds; ///< One for each result, or one for all.
};

/// Which numbers an operand has.
struct Values {
  double low = -4, high = 4;
  unsigned specials = 16; ///< One number in so many is special; 0: none.
  bool extremes =
      false; ///< The type's largest and smallest numbers are special, too, and not only NaN, infinities and zeros.
  double step = 0; ///< Numbers are multiples of it; 0: any.
};

inline constexpr Values kTame{-4, 4, 0};
inline constexpr Values kSpecial{-4, 4, 3, true};

class Draw {
public:
  Draw(uint64_t seed, mlir::MLIRContext *context) : context(context), state(seed) { node.seed = seed; }

  uint64_t below(uint64_t n);
  int64_t between(int64_t low, int64_t high) { return low + int64_t(below(uint64_t(high - low + 1))); }
  bool oneIn(unsigned n) { return below(n) == 0; }
  template <typename T> T of(std::initializer_list<T> choices) { return choices.begin()[below(choices.size())]; }
  std::string word(std::initializer_list<const char *> choices) { return of<const char *>(choices); }

  /// An axis: often 1 or 2, sometimes longer than a vector, seldom 0.
  int64_t dim(bool mayBeEmpty = true);
  Shape shape(size_t fewest, size_t most);
  /// A shape that broadcasts to `result`.
  Shape broadcastTo(llvm::ArrayRef<int64_t> result);

  // Element types, as they are spelled.
  std::string floats() { return word({"f32", "f32", "f32", "f16", "bf16", "f64"}); }
  std::string integers() { return word({"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"}); }
  std::string numbers() { return oneIn(2) ? floats() : integers(); }
  std::string anything() { return oneIn(8) ? "i1" : numbers(); }
  std::string stored();

  /// Draws an operand, and returns its name. One in `constants` is a constant of the model that is compiled; 0: none.
  std::string operand(llvm::StringRef element, llvm::ArrayRef<int64_t> shape, const Values &values,
                      unsigned constants = 4);
  /// The type of an operand, as text.
  std::string typeOf(llvm::StringRef operand) const;
  std::string elementOf(llvm::StringRef operand) const;

  double number(const Values &values);

  Node node;

private:
  evaluate::Cell cell(mlir::Type type, const Values &values);

  mlir::MLIRContext *context;
  uint64_t state;
};

/// The node in a function of its operands. Null where nn refuses it; messages go to the context.
mlir::OwningOpRef<mlir::ModuleOp> parse(const Node &node, mlir::MLIRContext *context);

std::string typeText(llvm::ArrayRef<int64_t> shape, llvm::StringRef element);
std::string listText(llvm::ArrayRef<int64_t> values);  ///< 1, 2
std::string arrayText(llvm::ArrayRef<int64_t> values); ///< array<i64: 1, 2>
int64_t product(llvm::ArrayRef<int64_t> shape);

/// A way to draw nodes of an operator.
struct Operator {
  const char *name;
  void (*draw)(Draw &draw);
  unsigned share; ///< Share of all nodes: some operators have many kinds.
};

extern const llvm::ArrayRef<Operator> elementwiseOperators; // DrawElementwise.cpp
extern const llvm::ArrayRef<Operator> movementOperators;    // DrawMovement.cpp
extern const llvm::ArrayRef<Operator> indexedOperators;     // DrawIndexed.cpp
extern const llvm::ArrayRef<Operator> contractionOperators; // DrawContractions.cpp
extern const llvm::ArrayRef<Operator> reductionOperators;   // DrawReductions.cpp
extern const llvm::ArrayRef<Operator> controlOperators;     // DrawControl.cpp

} // namespace nacre::meaning

#endif // NACRE_TEST_MEANING_NODE_H
