// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints: tensors in one piece and in slices, strings, and the errors of damaged ones.

#include "test/unit/compiler/import/tensorflow/CheckpointWriter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace nacre::importer;
using namespace nacre::importer::tensorflow_format;
using namespace mlir;

namespace {

class TensorBundleTest : public testing::Test {
protected:
  TensorBundleTest()
      : handler(&context, [this](Diagnostic &diagnostic) { message = diagnostic.str(); }),
        loc(UnknownLoc::get(&context)) {}

  std::unique_ptr<TensorBundle> read(const BundleWriter &writer, TableOptions options = {}) {
    FailureOr<std::unique_ptr<TensorBundle>> bundle = writer.read(loc, options);
    return succeeded(bundle) ? std::move(*bundle) : nullptr;
  }

  /// The floats of a tensor; empty after an error.
  std::vector<float> floats(TensorBundle &bundle, llvm::StringRef key, llvm::StringRef slice = "") {
    FailureOr<StoredTensor> tensor = bundle.read(key, slice, loc);
    if (failed(tensor))
      return {};
    std::vector<float> values(tensor->type.getNumElements());
    std::memcpy(values.data(), tensor->bytes.data(), tensor->bytes.size());
    return values;
  }

  bool complains(llvm::StringRef part) { return llvm::StringRef(message).contains(part); }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
  Location loc;
};

TEST_F(TensorBundleTest, TensorsAreViewsOfTheirShard) {
  BundleWriter writer(2);
  writer.addFloats("a", {2, 2}, {1, 2, 3, 4});
  writer.addFloats("b", {}, {5}, /*shard=*/1);
  writer.add("c", tensorflow::DT_INT64, {1}, std::string(8, '\0'), /*shard=*/1);
  for (bool isCompressed : {false, true}) {
    std::unique_ptr<TensorBundle> bundle = read(writer, {16, isCompressed});
    ASSERT_TRUE(bundle) << message;
    EXPECT_EQ(floats(*bundle, "a"), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(floats(*bundle, "b"), std::vector<float>{5});
    FailureOr<StoredTensor> tensor = bundle->read("a", "", loc);
    ASSERT_TRUE(succeeded(tensor));
    EXPECT_EQ(tensor->bytes.data(), tensor->owner->getBufferStart());
    EXPECT_EQ(bundle->read("c", "", loc)->type, RankedTensorType::get({1}, Builder(&context).getI64Type()));
    EXPECT_FALSE(bundle->contains("d"));
    EXPECT_TRUE(floats(*bundle, "d").empty());
    EXPECT_TRUE(complains("'d' does not exist"));
  }
}

TEST_F(TensorBundleTest, PartsOfATensorInOnePieceAreCutOut) {
  BundleWriter writer;
  writer.addFloats("a", {3, 2}, {1, 2, 3, 4, 5, 6});
  std::unique_ptr<TensorBundle> bundle = read(writer);
  EXPECT_EQ(floats(*bundle, "a", "3 2 1,2:-"), (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(floats(*bundle, "a", "3 2 -:1,1"), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(floats(*bundle, "a", "3 2 0,3:0,2"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  for (const char *wrong : {"3 2 2,2:-", "2 3 -:-", "3 2 -", "3 2", "3 2 x:-", " ", "3 2 -:-:-", "3 2 1:-"}) {
    message.clear();
    EXPECT_TRUE(floats(*bundle, "a", wrong).empty()) << wrong;
    EXPECT_FALSE(message.empty()) << wrong;
  }
}

/// A tensor of 3 x 4 as TensorFlow writes a variable that was divided: columns 0 to 99 of 300 would be encoded as here.
void addSliced(BundleWriter &writer, llvm::ArrayRef<std::pair<int64_t, int64_t>> columns) {
  tensorflow::BundleEntryProto &whole = writer.entries["w"];
  whole.set_dtype(tensorflow::DT_FLOAT);
  whole.mutable_shape()->add_dim()->set_size(3);
  whole.mutable_shape()->add_dim()->set_size(4);
  for (auto [start, length] : columns) {
    tensorflow::TensorSliceProto &slice = *writer.entries["w"].add_slices();
    slice.add_extent();
    tensorflow::TensorSliceProto::Extent &extent = *slice.add_extent();
    extent.set_start(start);
    extent.set_length(length);
    std::vector<float> values;
    for (int64_t row = 0; row < 3; ++row)
      for (int64_t column = start; column < start + length; ++column)
        values.push_back(static_cast<float>(row * 10 + column));
    writer.addFloats(makeSliceKey("w", {{}, {start, length}}), {3, length}, values);
  }
}

TEST_F(TensorBundleTest, SlicesArePutTogether) {
  BundleWriter writer;
  addSliced(writer, {{0, 1}, {1, 3}});
  std::unique_ptr<TensorBundle> bundle = read(writer);
  EXPECT_EQ(floats(*bundle, "w"), (std::vector<float>{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}));
  EXPECT_EQ(floats(*bundle, "w", "3 4 1,1:0,2"), (std::vector<float>{10, 11}));
  // A slice itself is not copied.
  FailureOr<StoredTensor> slice = bundle->read("w", "3 4 -:1,3", loc);
  ASSERT_TRUE(succeeded(slice));
  EXPECT_EQ(slice->bytes.data(), slice->owner->getBufferStart() + 3 * sizeof(float));
}

TEST_F(TensorBundleTest, SlicesMustTile) {
  using Columns = std::vector<std::pair<int64_t, int64_t>>;
  for (const Columns &columns : {Columns{{0, 1}, {1, 2}}, Columns{{0, 2}, {1, 3}}, Columns{{0, 2}, {0, 2}, {2, 2}},
                                 Columns{{0, 2}, {0, 2}}, Columns{{0, 5}}, Columns{{3, 2}}}) {
    BundleWriter writer;
    addSliced(writer, columns);
    message.clear();
    EXPECT_TRUE(floats(*read(writer), "w").empty());
    EXPECT_TRUE(complains("slice")) << message;
  }
}

TEST_F(TensorBundleTest, StringsAreSummedByTheirLengthsAndCharacters) {
  BundleWriter writer;
  writer.addStrings("names", {3}, {"a", "", std::string(300, 'x')});
  std::unique_ptr<TensorBundle> bundle = read(writer);
  FailureOr<std::vector<llvm::StringRef>> strings = bundle->readStrings("names", loc);
  ASSERT_TRUE(succeeded(strings)) << message;
  EXPECT_EQ(*strings, (std::vector<llvm::StringRef>{"a", "", std::string(300, 'x')}));
  EXPECT_TRUE(floats(*bundle, "names").empty());
  EXPECT_TRUE(complains("'string'"));

  for (size_t at = 0; at < writer.data[0].size(); ++at) {
    BundleWriter damaged = writer;
    damaged.data[0][at] ^= 1;
    EXPECT_TRUE(failed(read(damaged)->readStrings("names", loc))) << at;
  }
}

TEST_F(TensorBundleTest, WrongEntriesAreNamed) {
  struct Case {
    const char *complaint;
    void (*spoil)(BundleWriter &);
  };
  const Case cases[] = {
      {"checksum", [](BundleWriter &writer) { writer.data[0][0] ^= 1; }},
      {"truncated", [](BundleWriter &writer) { writer.data[0].pop_back(); }},
      {"truncated", [](BundleWriter &writer) { writer.entries["a"].set_offset(-1); }},
      {"truncated", [](BundleWriter &writer) { writer.entries["a"].set_offset(INT64_MAX); }},
      {"must have 16 bytes", [](BundleWriter &writer) { writer.entries["a"].set_size(12); }},
      {"data files", [](BundleWriter &writer) { writer.entries["a"].set_shard_id(1); }},
      {"data files", [](BundleWriter &writer) { writer.entries["a"].set_shard_id(-1); }},
      {"non-negative", [](BundleWriter &writer) { writer.entries["a"].mutable_shape()->mutable_dim(0)->set_size(-2); }},
      {"does not fit into any",
       [](BundleWriter &writer) { writer.entries["a"].mutable_shape()->mutable_dim(0)->set_size(INT64_MAX); }},
      {"any number", [](BundleWriter &writer) { writer.entries["a"].mutable_shape()->set_unknown_rank(true); }},
      {"not supported", [](BundleWriter &writer) { writer.entries["a"].set_dtype(tensorflow::DT_RESOURCE); }},
  };
  for (const Case &wrong : cases) {
    BundleWriter writer;
    writer.addFloats("a", {2, 2}, {1, 2, 3, 4});
    wrong.spoil(writer);
    std::unique_ptr<TensorBundle> bundle = read(writer);
    ASSERT_TRUE(bundle) << message;
    EXPECT_TRUE(floats(*bundle, "a").empty());
    EXPECT_TRUE(complains(wrong.complaint)) << message;
  }
}

TEST_F(TensorBundleTest, WrongHeadersAreRefused) {
  BundleWriter many;
  many.header.set_num_shards(65537);
  EXPECT_FALSE(read(many));
  EXPECT_TRUE(complains("data files"));
  BundleWriter big;
  big.header.set_endianness(tensorflow::BundleHeaderProto::BIG);
  EXPECT_FALSE(read(big));
  EXPECT_TRUE(complains("little-endian"));
}

TEST(Slices, KeysAreTensorFlows) {
  // By the rules of ordered code: numbers of up to 6 bits take one byte, of up to 13 two, of up to 20 three.
  auto bytes = [](std::initializer_list<int> values) { return std::string(values.begin(), values.end()); };
  EXPECT_EQ(makeSliceKey("w", {}), bytes({0, 'w', 0, 1, 0}));
  EXPECT_EQ(makeSliceKey(std::string("\0\xff", 2), {{}}), bytes({0, 0, 0xff, 0xff, 0, 0, 1, 1, 1, 0x80, 0x7f}));
  EXPECT_EQ(makeSliceKey("w", {{63, 64}}), bytes({0, 'w', 0, 1, 1, 1, 0xbf, 0xc0, 0x40}));
  EXPECT_EQ(makeSliceKey("w", {{8191, 8192}}), bytes({0, 'w', 0, 1, 1, 1, 0xdf, 0xff, 0xe0, 0x20, 0x00}));
  EXPECT_EQ(
      makeSliceKey("w", {{0x424242, INT64_MAX}}),
      bytes({0, 'w', 0, 1, 1, 1, 0xf0, 0x42, 0x42, 0x42, 0xff, 0xc0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}));
}

} // namespace
