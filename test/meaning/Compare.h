// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  compares results with those of the reference interpreter.
// How:   Integers and booleans are equal, NaN is NaN, and zeros have the same sign unless the bound lets them differ.
//        Floats too small to be normal may be taken, and left, as zeros (NnOps.td), so there is a second reference
//        whose operands are flushed: a result must agree with one of them.

#ifndef NACRE_TEST_MEANING_COMPARE_H
#define NACRE_TEST_MEANING_COMPARE_H

#include "test/meaning/Meanings.h"

namespace nacre::meaning {

class References {
public:
  References(const Node &node, mlir::MLIRContext *context);

  bool areThere() const { return !exact.empty(); }
  /// Returns the difference of result number `number`; empty if it is right.
  std::string compare(unsigned number, const evaluate::Tensor &is) const;

private:
  bool agrees(unsigned number, int64_t element, const evaluate::Tensor &is, const evaluate::Tensor &must) const;
  std::string describe(unsigned number, int64_t element, const evaluate::Tensor &is) const;

  const Node &node;
  Tensors exact, flushed;
  Tensors magnitudes; ///< Results of the operands' absolute values; none where no bound asks for them.
};

} // namespace nacre::meaning

#endif // NACRE_TEST_MEANING_COMPARE_H
