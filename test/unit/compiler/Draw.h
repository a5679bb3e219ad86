// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random shapes, element types and numbers, close to those of definitions and at their edges.
//
// Element types are ONNX's, whatever format the model is in.

#ifndef NACRE_TEST_UNIT_COMPILER_DRAW_H
#define NACRE_TEST_UNIT_COMPILER_DRAW_H

#include "compiler/import/binding/Signature.h"
#include "onnx.pb.h"

#include "llvm/Support/ErrorHandling.h"
#include <cstdint>
#include <random>
#include <vector>

namespace nacre {

class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  /// True once in `n`.
  bool oneIn(unsigned n) { return random() % n == 0; }
  size_t below(size_t n) { return random() % n; }
  template <typename T> T of(std::initializer_list<T> choices) { return choices.begin()[below(choices.size())]; }

  std::vector<int64_t> shape() {
    std::vector<int64_t> dims(below(8));
    for (int64_t &dim : dims)
      dim = of<int64_t>({0, 1, 1, 2, 2, 3, 4, 4});
    return dims;
  }

  int32_t type(importer::Holds holds) {
    using T = onnx::TensorProto;
    switch (oneIn(8) ? importer::Holds::Anything : holds) {
    case importer::Holds::Stored: // narrow types, which the schema of Debian's ONNX does not name, by their numbers
      return oneIn(4) ? 17 + int32_t(below(10)) : type(importer::Holds::Anything);
    case importer::Holds::Anything:
      return of<int32_t>({T::FLOAT, T::FLOAT16, T::BFLOAT16, T::DOUBLE, T::BOOL, T::INT8, T::INT16, T::INT32, T::INT64,
                          T::UINT8, T::UINT16, T::UINT32, T::UINT64});
    case importer::Holds::Numbers:
      return of<int32_t>({T::FLOAT, T::FLOAT, T::FLOAT16, T::INT32, T::INT64, T::UINT8});
    case importer::Holds::Floats:
      return of<int32_t>({T::FLOAT, T::FLOAT, T::FLOAT16, T::DOUBLE});
    case importer::Holds::Integers:
      return of<int32_t>({T::INT64, T::INT64, T::INT32, T::UINT8});
    case importer::Holds::Bytes:
      return of<int32_t>({T::INT8, T::UINT8});
    case importer::Holds::Indices:
      return of<int32_t>({T::INT64, T::INT32});
    case importer::Holds::Booleans:
      return T::BOOL;
    case importer::Holds::Sequence:
    case importer::Holds::Rows:
    case importer::Holds::AnyValue:
      return T::FLOAT;
    }
    llvm_unreachable("all kinds are above");
  }

  /// A number as a shape, an axis or an index would have it, and its edges.
  int64_t integer() {
    return oneIn(12) ? of<int64_t>({INT64_MAX, INT64_MIN, INT32_MAX, int64_t(1) << 40, -5, 100})
                     : of<int64_t>({0, 1, 1, 1, 2, 2, 3, 4, -1, -2});
  }

  float real() { return of<float>({1, 1, 2, 2, 0.5, 0, -1, 1e30F}); }

private:
  std::mt19937 random;
};

} // namespace nacre

#endif // NACRE_TEST_UNIT_COMPILER_DRAW_H
