// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. element types, and scales of integers, 2. tensors and operators, 3. shapes, 4. the model. Results state
//       a type and no shape.

#include "test/unit/compiler/TfliteDraw.h"

#include "test/unit/compiler/TfliteOptions.h"

#include "flatbuffers/minireflect.h"
#include "llvm/ADT/STLExtras.h"

using namespace nacre;
using namespace nacre::importer;
using llvm::StringRef;

namespace schema = tflite_format::schema;
using flatbuffers::Offset;
using schema::TensorType;

using Dims = std::vector<int64_t>;
using T = onnx::TensorProto;

namespace {

//===----------------------------------------------------------------------===//
// 1. Types
//===----------------------------------------------------------------------===//

TensorType toTensorType(int32_t type) {
  using namespace schema;
  static constexpr TensorType types[] = {
      TensorType_STRING,     TensorType_FLOAT32, TensorType_UINT8,  TensorType_INT8,   TensorType_UINT16,
      TensorType_INT16,      TensorType_INT32,   TensorType_INT64,  TensorType_STRING, TensorType_BOOL,
      TensorType_FLOAT16,    TensorType_FLOAT64, TensorType_UINT32, TensorType_UINT64, TensorType_COMPLEX64,
      TensorType_COMPLEX128, TensorType_BFLOAT16};
  if (type < int32_t(std::size(types)))
    return types[type];
  return type % 3 ? TensorType_INT4 : type % 2 ? TensorType_INT2 : TensorType_UINT4;
}

size_t countBytes(TensorType type) {
  using namespace schema;
  switch (type) {
  case TensorType_BOOL:
  case TensorType_INT8:
  case TensorType_UINT8:
    return 1;
  case TensorType_FLOAT16:
  case TensorType_BFLOAT16:
  case TensorType_INT16:
  case TensorType_UINT16:
    return 2;
  case TensorType_INT64:
  case TensorType_UINT64:
  case TensorType_FLOAT64:
    return 8;
  default:
    return 4;
  }
}

/// Integers that stand for floats in a quantized model; one type for all operands.
int32_t quantize(int32_t type, StringRef operand, int32_t integers) {
  return type != T::FLOAT ? type : operand != "bias" ? integers : integers == T::INT16 ? T::INT64 : T::INT32;
}

//===----------------------------------------------------------------------===//
// 2. Tensors and operators
//===----------------------------------------------------------------------===//

class ModelWriter {
public:
  explicit ModelWriter(Draw &draw) : draw(draw) { buffers.push_back(schema::CreateBuffer(builder)); }

  flatbuffers::FlatBufferBuilder builder;
  bool isQuantized = false;
  std::vector<int32_t> inputs, outputs;

  int32_t addTensor(const std::string &name, int32_t type, const Dims *shape, bool isConstant,
                    llvm::ArrayRef<int64_t> values = {}) {
    std::vector<int32_t> sizes;
    int64_t count = 1;
    for (int64_t dim : shape ? *shape : Dims()) {
      sizes.push_back(int32_t(dim));
      count *= dim;
    }
    uint32_t buffer = 0;
    if (isConstant) {
      buffer = uint32_t(buffers.size());
      std::vector<uint8_t> bytes = drawBytes(type, count, values);
      buffers.push_back(schema::CreateBufferDirect(builder, &bytes));
    }
    Offset<schema::QuantizationParameters> quantization = drawQuantization(type, sizes);
    auto list = builder.CreateVector(sizes);
    auto text = builder.CreateString(name);
    schema::TensorBuilder tensor(builder);
    if (shape) {
      tensor.add_shape(list);
      tensor.add_has_rank(true);
    }
    tensor.add_type(toTensorType(type));
    tensor.add_buffer(buffer);
    tensor.add_name(text);
    if (!quantization.IsNull())
      tensor.add_quantization(quantization);
    tensors.push_back(tensor.Finish());
    return int32_t(tensors.size() - 1);
  }

  int32_t addInput(const std::string &name, int32_t type, const Dims &shape) {
    inputs.push_back(addTensor(name, type, &shape, /*isConstant=*/false));
    return inputs.back();
  }

  void addOperator(StringRef op, const std::vector<int32_t> &operands, const std::vector<int32_t> &results,
                   DrawnOptions options) {
    schema::BuiltinOperator builtin = schema::BuiltinOperator_CUSTOM;
    for (schema::BuiltinOperator code : schema::EnumValuesBuiltinOperator())
      if (op == schema::EnumNameBuiltinOperator(code))
        builtin = code;
    Offset<flatbuffers::String> name;
    std::vector<uint8_t> custom;
    if (builtin == schema::BuiltinOperator_CUSTOM) {
      name = builder.CreateString(op.str());
      custom = drawCustomOptions(draw);
    }
    codes.push_back(schema::CreateOperatorCode(builder, int8_t(std::min<int>(builtin, 127)), name, 1, builtin));
    operators.push_back(schema::CreateOperatorDirect(builder, uint32_t(codes.size() - 1), &operands, &results,
                                                     options.kind, options.table, &custom));
  }

  /// Rows that a mask chooses in a run.
  int32_t addOpen(const std::string &name, int32_t type, const Dims &shape) {
    int32_t mask = addInput(name + ".mask", T::BOOL, {shape.front()}), rows = addInput(name + ".rows", type, shape),
            where = addTensor(name + ".where", T::INT64, nullptr, false),
            places = addTensor(name + ".places", T::INT64, nullptr, false),
            chosen = addTensor(name, type, nullptr, false);
    std::vector<int32_t> axes = {1};
    auto squeeze = schema::CreateSqueezeOptionsDirect(builder, &axes);
    addOperator("WHERE", {mask}, {where}, {schema::BuiltinOptions_NONE, 0});
    addOperator("SQUEEZE", {where}, {places}, {schema::BuiltinOptions_SqueezeOptions, squeeze.Union()});
    addOperator("GATHER", {rows, places}, {chosen}, {schema::BuiltinOptions_NONE, 0});
    return chosen;
  }

  std::string finish() {
    std::vector<Offset<schema::SubGraph>> graphs{
        schema::CreateSubGraphDirect(builder, &tensors, &inputs, &outputs, &operators)};
    builder.Finish(schema::CreateModelDirect(builder, 3, &codes, &graphs, nullptr, &buffers),
                   schema::ModelIdentifier());
    return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
  }

private:
  std::vector<uint8_t> drawBytes(int32_t type, int64_t count, llvm::ArrayRef<int64_t> values) {
    std::vector<uint8_t> bytes;
    const size_t width = countBytes(toTensorType(type));
    for (int64_t index = 0; index < count; ++index) {
      uint8_t element[8] = {};
      const float real = draw.real();
      const int64_t integer = values.empty() ? drawInteger(draw, type) : values[size_t(index)];
      if (type == T::FLOAT)
        std::memcpy(element, &real, sizeof real);
      else
        std::memcpy(element, &integer, sizeof integer);
      bytes.insert(bytes.end(), element, element + width);
    }
    return bytes;
  }

  /// A scale, or one for each index of an axis, of a type that may stand for reals; null of others.
  Offset<schema::QuantizationParameters> drawQuantization(int32_t type, const std::vector<int32_t> &shape) {
    if (!isQuantized || !llvm::is_contained({T::INT8, T::UINT8, T::INT16, T::INT32, T::INT64}, type) || draw.oneIn(12))
      return {};
    const size_t axis = shape.empty() ? 0 : draw.below(shape.size());
    const bool isPerAxis = !shape.empty() && shape[axis] > 0 && draw.oneIn(6);
    std::vector<float> scales(isPerAxis ? size_t(shape[axis]) : 1);
    for (float &scale : scales)
      scale = draw.oneIn(2) ? 1.0F / 256 : draw.of<float>({0.5, 0.003F, 1, 1e-30F, 1e30F, 0});
    const bool isExact = type == T::INT16 || type == T::INT32;
    std::vector<int64_t> zeros(scales.size(),
                               isExact || draw.oneIn(2) ? 0 : draw.of<int64_t>({-128, 3, 127, 128, 1000}));
    return schema::CreateQuantizationParametersDirect(builder, nullptr, nullptr, &scales, &zeros,
                                                      schema::QuantizationDetails_NONE, 0, int32_t(axis));
  }

  Draw &draw;
  std::vector<Offset<schema::Buffer>> buffers;
  std::vector<Offset<schema::Tensor>> tensors;
  std::vector<Offset<schema::OperatorCode>> codes;
  std::vector<Offset<schema::Operator>> operators;
};

//===----------------------------------------------------------------------===//
// 3. Shapes
//===----------------------------------------------------------------------===//

/// The shape that a definition asks for, where it leaves little choice.
std::optional<Dims> getAskedShape(Draw &draw, StringRef op, StringRef operand, size_t index, const Dims &x) {
  const auto rank = int64_t(x.size());
  if (op == "CONV_3D")
    return std::vector<Dims>{{1, 2, 4, 4, 3}, {1, 2, 2, 3, 3}, {3}}[index];
  if (op == "CONV_2D")
    return std::vector<Dims>{{1, 4, 4, 3}, {2, 2, 2, 3}, {2}}[index];
  if (op == "DEPTHWISE_CONV_2D")
    return std::vector<Dims>{{1, 4, 4, 3}, {1, 2, 2, 3}, {3}}[index];
  if (op == "TRANSPOSE_CONV")
    return std::vector<Dims>{{4}, {2, 2, 2, 3}, {1, 4, 4, 3}, {2}}[index];
  if (op == "FULLY_CONNECTED")
    return std::vector<Dims>{{2, 3}, {4, 3}, {4}}[index];
  if (op.ends_with("POOL_2D") || op == "LOCAL_RESPONSE_NORMALIZATION")
    return Dims{1, 4, 4, 3};
  if (op.starts_with("RESIZE_"))
    return index ? Dims{2} : Dims{1, 4, 4, 3};
  if (op == "DEPTH_TO_SPACE" || op == "SPACE_TO_DEPTH")
    return Dims{1, 2, 4, 4};
  if (op == "SPACE_TO_BATCH_ND" || op == "BATCH_TO_SPACE_ND")
    return std::vector<Dims>{{4, 2, 3}, {1}, {1, 2}}[index];
  if (op == "CONV_3D_TRANSPOSE")
    return std::vector<Dims>{{5}, {1, 2, 2, 2, 3}, {1, 2, 4, 4, 3}, {2}}[index];
  if (op.starts_with("NON_MAX_"))
    return index > 1 ? Dims{} : index ? Dims{3} : Dims{3, 4};
  if (op == "TFLite_Detection_PostProcess")
    return std::vector<Dims>{{1, 3, 4}, {1, 3, 3}, {3, 4}}[index];
  if (op == "SPARSE_TO_DENSE")
    return std::vector<Dims>{{3, 1}, {1}, {3}, {}}[index];
  if (op == "DYNAMIC_UPDATE_SLICE" && index == 2)
    return Dims{rank};
  if (op == "MATRIX_SET_DIAG")
    return index ? Dims{2, 3} : Dims{2, 4, 3};
  if (op.contains("SEGMENT"))
    return std::vector<Dims>{{3, 2}, {3}, {}}[index];
  if (op == "UNIQUE")
    return Dims{5};
  if (op == "SCATTER_ND")
    return std::vector<Dims>{{3, 1}, {3, 2}, {2}}[index];
  if (operand == "paddings")
    return Dims{rank, 2};
  if (op == "SELECT" || op == "SELECT_V2")
    return x;
  static constexpr const char *scalars[] = {"axis", "depth", "on", "off", "k", "start", "limit", "delta", "value"};
  if (llvm::is_contained(scalars, operand) || (operand == "axes" && !draw.oneIn(3)))
    return op == "TRANSPOSE" ? Dims{rank} : op == "EXPAND_DIMS" || !draw.oneIn(3) ? Dims{} : Dims{1};
  if (operand == "begin" || operand == "end" || operand == "size" || operand == "strides" || operand == "repeats")
    return Dims{rank};
  if (operand == "shape" || operand == "sizes")
    return Dims{draw.of<int64_t>({rank, 2, 1})};
  return std::nullopt;
}

int32_t addOperand(ModelWriter &model, const std::string &name, const DrawnOperand &operand) {
  switch (operand.kind) {
  case DrawnOperand::LeftOut:
    return -1;
  case DrawnOperand::Constant:
    return model.addTensor(name, operand.type, &operand.shape, /*isConstant=*/true, operand.values);
  case DrawnOperand::Open:
    return model.addOpen(name, operand.type, operand.shape);
  default:
    return model.addInput(name, operand.type, operand.shape);
  }
}

} // namespace

//===----------------------------------------------------------------------===//
// 4. The model
//===----------------------------------------------------------------------===//

std::string nacre::drawTfliteModel(Draw &draw, StringRef op, llvm::ArrayRef<OperandRule> rules) {
  auto nameOf = [&](size_t index) { return rules[std::min(index, rules.size() - 1)].getName(); };
  std::vector<DrawnOperand> drawn = drawOperands(draw, rules, [&](size_t index, const Dims &first) {
    return getAskedShape(draw, op, nameOf(index), index, first);
  });
  ModelWriter model(draw);
  model.isQuantized = draw.oneIn(3);
  const auto integers = draw.of<int32_t>({T::INT8, T::INT8, T::UINT8, T::INT16});
  int32_t type = T::FLOAT; // of the first operand that is no list of numbers
  std::vector<int32_t> operands;
  for (size_t index = drawn.size(); index-- > 0;) {
    if (model.isQuantized)
      drawn[index].type = quantize(drawn[index].type, nameOf(index), integers);
    if (rules[std::min(index, rules.size() - 1)].holds != Holds::Indices && drawn[index].kind != DrawnOperand::LeftOut)
      type = drawn[index].type;
  }
  // It is seldom right where it is drawn.
  if (op == "TRANSPOSE_CONV" && !draw.oneIn(4))
    drawn[0] = {DrawnOperand::Constant, T::INT32, {4}, {1, 4, 4, 2}};
  if (op == "CONV_3D_TRANSPOSE" && !draw.oneIn(4))
    drawn[0] = {DrawnOperand::Constant, T::INT32, {5}, {1, 2, 4, 4, 2}};
  // What decides how many boxes are taken must be known.
  if (op.starts_with("NON_MAX_") && !draw.oneIn(4))
    for (DrawnOperand &operand : llvm::drop_begin(drawn, 2))
      operand.kind = DrawnOperand::Constant;
  for (auto [index, operand] : llvm::enumerate(drawn))
    operands.push_back(addOperand(model, "x" + std::to_string(index), operand));
  const int32_t resultType = draw.oneIn(2) ? type : draw.of<int32_t>({T::BOOL, T::INT32, T::INT64, T::FLOAT, T::INT8});
  const bool hasPlaces = op == "TOPK_V2" || op == "UNIQUE";
  const size_t count = op.starts_with("SPLIT") || op == "UNPACK"     ? 1 + draw.below(3)
                       : op == "TFLite_Detection_PostProcess"        ? 4
                       : op == "NON_MAX_SUPPRESSION_V5"              ? 3
                       : hasPlaces || op == "NON_MAX_SUPPRESSION_V4" ? 2
                                                                     : 1;
  std::vector<int32_t> results;
  for (size_t index = 0; index < count; ++index) {
    const bool arePlaces = (index > 0 && hasPlaces) || (op.starts_with("NON_MAX_") && (index != 1 || count == 2));
    results.push_back(model.addTensor("y" + std::to_string(index), arePlaces ? T::INT32 : resultType, /*shape=*/nullptr,
                                      /*isConstant=*/false));
  }
  model.addOperator(op, operands, results,
                    drawOptions(draw, model.builder, op, drawn.empty() ? 0 : drawn[0].shape.size()));
  model.outputs = results;
  return model.finish();
}

std::string nacre::describeTfliteModel(const std::string &bytes) {
  return flatbuffers::FlatBufferToString(reinterpret_cast<const uint8_t *>(bytes.data()), schema::ModelTypeTable());
}
