// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border to hostile models: encodings of tensors, and everything that is refused.

#include "compiler/import/onnx/Reader.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace nacre::importer;
using namespace nacre::importer::onnx_format;
using onnx::TensorProto;

namespace {

class OnnxReader : public testing::Test {
protected:
  OnnxReader()
      : context(mlir::MLIRContext::Threading::DISABLED),
        handler(&context, [this](mlir::Diagnostic &diagnostic) { error = diagnostic.str(); }) {
    model.mutable_graph()->add_output()->set_name("w");
    model.add_opset_import()->set_version(13);
  }

  TensorProto *addTensor(int type, std::initializer_list<int64_t> dims) {
    TensorProto *tensor = model.mutable_graph()->add_initializer();
    tensor->set_name("w");
    tensor->set_data_type(type);
    for (int64_t dim : dims)
      tensor->add_dims(dim);
    return tensor;
  }

  onnx::NodeProto *addNode(const char *name, const char *input, const char *output) {
    onnx::NodeProto *node = model.mutable_graph()->add_node();
    node->set_name(name);
    node->add_input(input);
    node->add_output(output);
    return node;
  }

  bool parse(llvm::StringRef folder = "") {
    bytes = model.SerializeAsString();
    return parseBytes(folder);
  }

  bool parseBytes(llvm::StringRef folder) {
    std::shared_ptr<const llvm::MemoryBuffer> buffer = llvm::MemoryBuffer::getMemBuffer(bytes, "m.onnx", false);
    auto result = OnnxModel::read({buffer, "m.onnx", folder.str()}, &context);
    if (succeeded(result))
      parsed = std::move(*result);
    return succeeded(result);
  }

  /// The elements of the first initializer, or the error as text.
  std::string read(llvm::StringRef folder = "") {
    bytes = model.SerializeAsString();
    return readBytes(folder);
  }

  std::string readBytes(llvm::StringRef folder = "") {
    if (!parseBytes(folder))
      return error;
    auto tensor = parsed->read(parsed->getGraph().getGraph()->initializer(0), parsed->getLocation());
    return failed(tensor) ? error : std::string(tensor->bytes.begin(), tensor->bytes.end());
  }

  mlir::MLIRContext context;
  std::string error;
  mlir::ScopedDiagnosticHandler handler;
  onnx::ModelProto model;
  std::string bytes;
  std::unique_ptr<OnnxModel> parsed;
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

// Encodings.

TEST_F(OnnxReader, RawDataIsAView) {
  addTensor(TensorProto::INT16, {2})->set_raw_data("abcd");
  EXPECT_EQ(read(), "abcd");
}

TEST_F(OnnxReader, TypedFloatsAreAView) {
  TensorProto *tensor = addTensor(TensorProto::FLOAT, {2});
  tensor->add_float_data(1);
  tensor->add_float_data(-2);
  EXPECT_EQ(read(), std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
}

TEST_F(OnnxReader, VarintsAreNarrowedToTheType) {
  TensorProto *tensor = addTensor(TensorProto::INT8, {3});
  for (int value : {1, -1, 127}) // -1 takes ten bytes in the file
    tensor->add_int32_data(value);
  EXPECT_EQ(read(), "\x01\xff\x7f");
}

TEST_F(OnnxReader, HalfFloatsAreTheirBits) {
  addTensor(TensorProto::FLOAT16, {1})->add_int32_data(0x3c00);
  EXPECT_EQ(read(), std::string("\0\x3c", 2));
}

TEST_F(OnnxReader, AnEmptyTensorNeedsNoData) {
  addTensor(TensorProto::FLOAT, {0, 3});
  EXPECT_EQ(read(), "");
}

TEST_F(OnnxReader, TheLastOfSeveralRawDataCounts) {
  TensorProto first, second;
  first.set_raw_data("xx");
  second.set_name("w");
  second.set_data_type(TensorProto::INT8);
  second.add_dims(2);
  second.set_raw_data("ab");
  std::string tensor = first.SerializeAsString() + second.SerializeAsString();
  bytes = model.graph().SerializeAsString() + "\x2a" + static_cast<char>(tensor.size()) + tensor;
  bytes = std::string("\x3a") + static_cast<char>(bytes.size()) + bytes;
  EXPECT_EQ(readBytes(), "ab");
}

// Sizes.

TEST_F(OnnxReader, TooFewBytes) {
  addTensor(TensorProto::FLOAT, {2})->set_raw_data("abcd");
  EXPECT_SAYS(read(), "must hold 8 bytes for its shape and type, but holds 4");
}

TEST_F(OnnxReader, TooFewVarints) {
  addTensor(TensorProto::INT64, {2})->add_int64_data(1);
  EXPECT_SAYS(read(), "a tensor of type int64[2] must hold 2 elements, but holds 1");
}

TEST_F(OnnxReader, AShapeThatOverflows) {
  addTensor(TensorProto::FLOAT, {int64_t(1) << 40, int64_t(1) << 40});
  EXPECT_SAYS(read(), "does not fit into any memory");
}

TEST_F(OnnxReader, ANegativeDimension) {
  addTensor(TensorProto::FLOAT, {-1})->set_raw_data("abcd");
  EXPECT_SAYS(read(), "non-negative dimensions");
}

TEST_F(OnnxReader, AnotherTypesField) {
  addTensor(TensorProto::FLOAT, {1})->add_int64_data(1);
  EXPECT_SAYS(read(), "in a field that does not match its type, 'float'");
}

TEST_F(OnnxReader, ATypeThatIsNotThere) {
  addTensor(TensorProto::STRING, {1})->add_string_data("x");
  EXPECT_SAYS(read(),
              "element type 'string', which is not supported; choose outputs that do not need it with --output");
}

TEST_F(OnnxReader, DecodingIsWithinTheBudget) {
  // Five million numbers take one byte each in the file and eight in memory, above the file's size and 4 MiB.
  TensorProto *tensor = addTensor(TensorProto::INT64, {5000000});
  for (int index = 0; index < 5000000; ++index)
    tensor->add_int64_data(1);
  EXPECT_SAYS(read(), "store them as raw_data");
}

// Names and order.

TEST_F(OnnxReader, NodesOutOfOrderAreSorted) {
  addNode("second", "a", "w");
  addNode("first", "x", "a");
  model.mutable_graph()->add_input()->set_name("x");
  ASSERT_TRUE(parse()) << error;
  EXPECT_EQ(parsed->getGraph().getNodes()[0].proto->name(), "first");
  EXPECT_EQ(parsed->getGraph().getNodes()[1].proto->name(), "second");
}

TEST_F(OnnxReader, ACycle) {
  addNode("one", "b", "w");
  addNode("two", "w", "b");
  EXPECT_FALSE(parse());
  EXPECT_SAYS(error, "cycle");
}

TEST_F(OnnxReader, AnInputThatNothingDefines) {
  addNode("one", "nowhere", "w");
  EXPECT_FALSE(parse());
  EXPECT_SAYS(error, "input 'nowhere' is not defined");
}

TEST_F(OnnxReader, TwoDefinitions) {
  addNode("one", "", "w");
  addNode("two", "", "w");
  EXPECT_FALSE(parse());
  EXPECT_SAYS(error, "output 'w' is already defined");
}

TEST_F(OnnxReader, AnOutputThatNothingComputes) {
  EXPECT_FALSE(parse());
  EXPECT_SAYS(error, "no node computes this output");
}

TEST_F(OnnxReader, NotAModel) {
  model.Clear();
  EXPECT_FALSE(parse());
  EXPECT_SAYS(error, "it is not an ONNX model");
}

// A second file.

class ExternalData : public OnnxReader {
protected:
  ExternalData() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("nacre-external", folder));
    write("w.bin", "0123456789");
  }
  ~ExternalData() override { EXPECT_FALSE(llvm::sys::fs::remove_directories(folder)); }

  void write(llvm::StringRef name, llvm::StringRef content) {
    std::error_code failed;
    llvm::raw_fd_ostream file((folder + "/" + name).str(), failed);
    ASSERT_FALSE(failed);
    file << content;
  }

  std::string read(llvm::StringRef location, llvm::StringRef offset, llvm::StringRef length) {
    model.mutable_graph()->clear_initializer();
    TensorProto *tensor = addTensor(TensorProto::INT8, {4});
    tensor->set_data_location(TensorProto::EXTERNAL);
    const std::pair<const char *, llvm::StringRef> entries[] = {
        {"location", location}, {"offset", offset}, {"length", length}};
    for (auto [key, value] : entries) {
      if (value.empty())
        continue;
      onnx::StringStringEntryProto *entry = tensor->add_external_data();
      entry->set_key(key);
      entry->set_value(value.str());
    }
    return OnnxReader::read(folder);
  }

  llvm::SmallString<128> folder;
};

TEST_F(ExternalData, IsRead) {
  EXPECT_EQ(read("w.bin", "3", "4"), "3456");
  EXPECT_EQ(read("w.bin", "", ""), "0123");
}

TEST_F(ExternalData, EndsBeforeTheTensor) {
  EXPECT_SAYS(read("w.bin", "8", "4"), "the file is truncated");
  EXPECT_SAYS(read("w.bin", "18446744073709551615", "4"), "the file is truncated");
}

TEST_F(ExternalData, HasTheTensorsLength) { EXPECT_SAYS(read("w.bin", "0", "5"), "must have 4 bytes"); }

TEST_F(ExternalData, HasNumbersForOffsets) { EXPECT_SAYS(read("w.bin", "-1", "4"), "as a number"); }

TEST_F(ExternalData, StaysInTheFolder) {
  for (const char *location : {"/etc/passwd", "../w.bin", "a/../../w.bin", ""})
    EXPECT_SAYS(read(location, "0", "4"), "must be a file inside the model's folder") << location;
  ASSERT_FALSE(llvm::sys::fs::create_link("/etc/passwd", folder + "/link"));
  EXPECT_SAYS(read("link", "0", "4"), "is a link that leads out of it");
}

TEST_F(ExternalData, IsThere) { EXPECT_SAYS(read("none.bin", "0", "4"), "cannot open external data"); }

} // namespace
