// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs and outputs in the tables: element types, sizes in bytes, scales and zero points.

#include "test/unit/codegen/package/ParsedPlan.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace nacre;

namespace {

class TensorRows : public package::ParsedPlan {
protected:
  /// Returns the row of an input of eight elements of this type, or the reason why it has none.
  llvm::Expected<nacre_tensor> rowOfInput(StringRef type, StringRef external = "") {
    const std::string attributes = external.empty() ? "" : ("{external_type = " + external + "} ").str();
    parse("plan.entry @main attributes {arena_bytes = 0 : i64} { %x = plan.storage input \"x\" 0 " + attributes +
          ": memref<8x" + type.str() + "> }");
    llvm::Expected<package::TableRows> rows = readRows();
    if (!rows)
      return rows.takeError();
    return rows->entries.front().inputs.front();
  }
};

TEST_F(TensorRows, EveryElementTypeHasItsOwnNumber) {
  const std::pair<const char *, nacre_element_type> types[] = {
      {"f32", NACRE_F32},
      {"f64", NACRE_F64},
      {"f16", NACRE_F16},
      {"bf16", NACRE_BF16},
      {"i1", NACRE_BOOL},
      {"i8", NACRE_I8},
      {"i16", NACRE_I16},
      {"i32", NACRE_I32},
      {"i64", NACRE_I64},
      {"ui8", NACRE_U8},
      {"ui16", NACRE_U16},
      {"ui32", NACRE_U32},
      {"ui64", NACRE_U64},
      {"si32", NACRE_I32},
      {"f8E4M3FN", NACRE_F8E4M3FN},
      {"f8E4M3FNUZ", NACRE_F8E4M3FNUZ},
      {"f8E5M2", NACRE_F8E5M2},
      {"f8E5M2FNUZ", NACRE_F8E5M2FNUZ},
      {"f8E8M0FNU", NACRE_F8E8M0},
      {"f4E2M1FN", NACRE_F4E2M1},
      {"i4", NACRE_I4},
      {"ui4", NACRE_U4},
      {"i2", NACRE_I2},
      {"ui2", NACRE_U2},
  };
  for (const auto &[type, number] : types) {
    llvm::Expected<nacre_tensor> row = rowOfInput(type);
    ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
    EXPECT_EQ(row->element_type, uint32_t(number)) << type;
  }
}

// Eight booleans are eight bytes, though one of them is a bit to MLIR.
TEST_F(TensorRows, EveryElementBeginsAtAByte) {
  llvm::Expected<nacre_tensor> row = rowOfInput("i1");
  ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
  EXPECT_EQ(row->bytes, 8u);
}

// An app knows the tensor; the bytes are those that its elements share.
TEST_F(TensorRows, PackedElementsShareBytes) {
  llvm::Expected<nacre_tensor> row = rowOfInput("i8", "tensor<3x5xi4>");
  ASSERT_TRUE(bool(row)) << llvm::toString(row.takeError());
  EXPECT_EQ(row->element_type, uint32_t(NACRE_I4));
  EXPECT_EQ(row->rank, 2u);
  EXPECT_EQ(row->bytes, 8u);
}

// A scale and a zero point for each channel are a list, which begins with a NaN and follows the shapes.
TEST_F(TensorRows, SaysWhatIntegersStandFor) {
  parse(R"(
    plan.entry @main attributes {arena_bytes = 0 : i64} {
      %x = plan.storage input "x" 0 {nn.quantization = {axis = 0 : i64, scales = array<f32: 0.25>, zeros = array<i32: -7>}}
        : memref<2x3xi8>
      %y = plan.storage output "y" 0 {nn.quantization = {axis = 1 : i64, scales = array<f32: 0.5, 2.0, 4.0>, zeros = array<i32: 0, -1, 5>}}
        : memref<2x3xi8>
      %z = plan.storage output "z" 1 : memref<2x3xi8>
    }
  )");
  llvm::Expected<package::TableRows> rows = readRows();
  ASSERT_TRUE(bool(rows)) << llvm::toString(rows.takeError());
  const nacre_tensor &x = rows->entries[0].inputs[0], &y = rows->entries[0].outputs[0],
                     &z = rows->entries[0].outputs[1];
  EXPECT_EQ(x.scale, 0.25F);
  EXPECT_EQ(x.zero_point, -7);
  EXPECT_EQ(z.scale, 1);
  EXPECT_EQ(z.zero_point, 0);
  EXPECT_TRUE(std::isnan(y.scale));
  EXPECT_EQ(rows->dims[y.zero_point], 1) << "the axis";
  const nacre_channel_info channels[] = {{0.5F, 0}, {2, -1}, {4, 5}};
  const auto *written = reinterpret_cast<const nacre_channel_info *>(&rows->dims[y.zero_point + 1]);
  for (auto [found, channel] : llvm::zip_equal(llvm::ArrayRef(written, std::size(channels)), channels)) {
    EXPECT_EQ(found.scale, channel.scale);
    EXPECT_EQ(found.zero_point, channel.zero_point);
  }
}

// A type that the format lacks was once called i64, or whatever has its width.
TEST_F(TensorRows, OtherElementTypesAreRefused) {
  for (const char *type : {"i3", "i24", "i128", "f8E4M3", "f8E3M4", "f6E2M3FN", "tf32", "f80", "f128", "index"}) {
    llvm::Expected<nacre_tensor> row = rowOfInput(type);
    ASSERT_FALSE(bool(row)) << type;
    const std::string message = llvm::toString(row.takeError());
    EXPECT_NE(message.find("an element type of the model format, but"), std::string::npos) << message;
    EXPECT_NE(message.find(type), std::string::npos) << message;
  }
  llvm::Expected<nacre_tensor> row = rowOfInput("i8", "i3");
  EXPECT_FALSE(bool(row));
  llvm::consumeError(row.takeError());
}

} // namespace
