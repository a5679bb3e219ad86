// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border to TensorFlow Lite's files, against bytes that no converter writes: tables that share what they refer to.

#include "compiler/import/tflite/Reader.h"

#include "gtest/gtest.h"

namespace nacre::importer::tflite_format {
namespace {

using flatbuffers::Offset;

class TfliteReader : public testing::Test {
protected:
  /// Returns the reader's error for the model that the builder holds; empty if there is no error.
  std::string read(flatbuffers::FlatBufferBuilder &builder, Offset<schema::Model> model) {
    builder.Finish(model, schema::ModelIdentifier());
    return read(llvm::StringRef(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()));
  }

  std::string read(llvm::StringRef bytes) {
    std::string said;
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
    ModelFile file{llvm::MemoryBuffer::getMemBuffer(bytes, "", /*RequiresNullTerminator=*/false), "model", ""};
    auto model = TfliteModel::read(file, {}, &context);
    EXPECT_EQ(mlir::succeeded(model), said.empty());
    return said;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(TfliteReader, ReadsTheSmallest) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<int32_t> shape{2}, ports{0};
  std::vector<Offset<schema::Tensor>> tensors{schema::CreateTensorDirect(builder, &shape)};
  std::vector<Offset<schema::SubGraph>> graphs{schema::CreateSubGraphDirect(builder, &tensors, &ports, &ports)};
  EXPECT_EQ(read(builder, schema::CreateModelDirect(builder, 3, nullptr, &graphs)), "");
}

TEST_F(TfliteReader, CountsTensorsThatShareATable) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<int32_t> shape{2}, ports{0};
  std::vector<Offset<schema::Tensor>> tensors(1000, schema::CreateTensorDirect(builder, &shape));
  std::vector<Offset<schema::SubGraph>> graphs{schema::CreateSubGraphDirect(builder, &tensors, &ports, &ports)};
  std::string said = read(builder, schema::CreateModelDirect(builder, 3, nullptr, &graphs));
  // The verifier counts the tables that it visits, shared ones each time.
  EXPECT_NE(said, "");
}

TEST_F(TfliteReader, CountsOperandsThatShareAList) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<int32_t> shape{2}, port{0};
  auto list = builder.CreateVector(std::vector<int32_t>(5000, -1));
  std::vector<Offset<schema::Tensor>> tensors;
  std::vector<Offset<schema::Operator>> operators;
  std::vector<Offset<schema::OperatorCode>> codes{schema::CreateOperatorCode(builder)};
  for (int32_t index = 0; index < 20; ++index) {
    tensors.push_back(schema::CreateTensorDirect(builder, &shape, schema::TensorType_FLOAT32, 0,
                                                 ("a name of its own " + std::to_string(index)).c_str()));
    if (index > 0)
      operators.push_back(schema::CreateOperator(builder, 0, list, builder.CreateVector(std::vector<int32_t>{index})));
  }
  std::vector<Offset<schema::SubGraph>> graphs{
      schema::CreateSubGraphDirect(builder, &tensors, &port, &port, &operators)};
  EXPECT_EQ(read(builder, schema::CreateModelDirect(builder, 3, &codes, &graphs)),
            "operators must not share their operand lists\n");
}

TEST_F(TfliteReader, RefusesEveryCut) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<int32_t> shape{2}, ports{0};
  std::vector<Offset<schema::Tensor>> tensors{
      schema::CreateTensorDirect(builder, &shape, schema::TensorType_FLOAT32, 0, "x")};
  std::vector<Offset<schema::SubGraph>> graphs{schema::CreateSubGraphDirect(builder, &tensors, &ports, &ports)};
  builder.Finish(schema::CreateModelDirect(builder, 3, nullptr, &graphs), schema::ModelIdentifier());
  llvm::StringRef bytes(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
  ASSERT_EQ(read(bytes), "");
  size_t refused = 0;
  for (size_t size = 8; size < bytes.size(); ++size)
    refused += read(bytes.take_front(size)).empty() ? 0 : 1;
  // Up to the padding behind the last table.
  EXPECT_GE(refused + 16, bytes.size() - 8);
}

TEST_F(TfliteReader, TakesBytesAtAnyAddress) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<int32_t> shape{2}, ports{0};
  std::vector<Offset<schema::Tensor>> tensors{schema::CreateTensorDirect(builder, &shape)};
  std::vector<Offset<schema::SubGraph>> graphs{schema::CreateSubGraphDirect(builder, &tensors, &ports, &ports)};
  builder.Finish(schema::CreateModelDirect(builder, 3, nullptr, &graphs), schema::ModelIdentifier());
  std::string moved = "x" + std::string(reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize());
  EXPECT_EQ(read(llvm::StringRef(moved).drop_front()), "");
}

} // namespace
} // namespace nacre::importer::tflite_format
