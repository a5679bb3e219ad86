// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "codegen/package/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"

namespace nacre::package {
namespace {

/// Element type, and the test for it. Signless integers count as signed. A boolean is not an integer.
struct Row {
  bool (*is)(mlir::Type);
  ElementType type;
};

template <unsigned width> bool isSigned(mlir::Type type) { return type.isInteger(width) && !type.isUnsignedInteger(); }
template <unsigned width> bool isUnsigned(mlir::Type type) { return type.isUnsignedInteger(width); }

template <typename T> bool isA(mlir::Type type) { return mlir::isa<T>(type); }

constexpr Row kRows[] = {
    {[](mlir::Type type) { return type.isF32(); }, {NACRE_F32, "float"}},
    {[](mlir::Type type) { return type.isF64(); }, {NACRE_F64, "double"}},
    {[](mlir::Type type) { return type.isF16(); }, {NACRE_F16, "uint16_t"}},
    {[](mlir::Type type) { return type.isBF16(); }, {NACRE_BF16, "uint16_t"}},
    {[](mlir::Type type) { return type.isInteger(1); }, {NACRE_BOOL, "uint8_t"}},
    {isSigned<8>, {NACRE_I8, "int8_t"}},
    {isSigned<16>, {NACRE_I16, "int16_t"}},
    {isSigned<32>, {NACRE_I32, "int32_t"}},
    {isSigned<64>, {NACRE_I64, "int64_t"}},
    {isUnsigned<8>, {NACRE_U8, "uint8_t"}},
    {isUnsigned<16>, {NACRE_U16, "uint16_t"}},
    {isUnsigned<32>, {NACRE_U32, "uint32_t"}},
    {isUnsigned<64>, {NACRE_U64, "uint64_t"}},
    {isA<mlir::Float8E4M3FNType>, {NACRE_F8E4M3FN, "uint8_t", "float8e4m3fn"}},
    {isA<mlir::Float8E4M3FNUZType>, {NACRE_F8E4M3FNUZ, "uint8_t", "float8e4m3fnuz"}},
    {isA<mlir::Float8E5M2Type>, {NACRE_F8E5M2, "uint8_t", "float8e5m2"}},
    {isA<mlir::Float8E5M2FNUZType>, {NACRE_F8E5M2FNUZ, "uint8_t", "float8e5m2fnuz"}},
    {isA<mlir::Float8E8M0FNUType>, {NACRE_F8E8M0, "uint8_t", "float8e8m0"}},
    {isA<mlir::Float4E2M1FNType>, {NACRE_F4E2M1, "uint8_t", "packed float4e2m1"}},
    {isUnsigned<4>, {NACRE_U4, "uint8_t", "packed uint4"}},
    {isSigned<4>, {NACRE_I4, "uint8_t", "packed int4"}},
    {isUnsigned<2>, {NACRE_U2, "uint8_t", "packed uint2"}},
    {isSigned<2>, {NACRE_I2, "uint8_t", "packed int2"}},
};

} // namespace

const ElementType *findElementType(mlir::Type type) {
  for (const Row &row : kRows)
    if (row.is(type))
      return &row.type;
  return nullptr;
}

} // namespace nacre::package
