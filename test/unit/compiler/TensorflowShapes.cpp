// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  the operator's name decides first, then the operand's.

#include "test/unit/compiler/TensorflowShapes.h"

#include "compiler/import/tensorflow/graph/TrainedOperands.h"

#include "llvm/ADT/STLExtras.h"

using namespace nacre;
using namespace nacre::importer;
using llvm::StringRef;

using Dims = std::vector<int64_t>;

namespace {

/// Returns the shape that an operator of training graphs asks for.
std::optional<Dims> getTrainingShape(StringRef op, StringRef operand, size_t index) {
  using tensorflow_format::countTrainedOperands;
  if (size_t count = countTrainedOperands(op))
    return index < count || operand == "grad" || operand == "delta" ? Dims{3, 2} : Dims{};
  if (op.starts_with("FusedBatchNormGrad"))
    return index < 2 ? Dims{2, 4, 4, 3} : Dims{3};
  if (op.starts_with("Depthwise") && operand == "filter")
    return op.ends_with("BackpropInput") ? Dims{2, 2, 3, 1} : Dims{2, 2, 3, 3};
  if (op.starts_with("Resize") && op.ends_with("Grad"))
    return index == 0 ? Dims{2, 4, 4, 3} : operand == "size" ? Dims{2} : Dims{2, 2, 2, 3};
  if (op == "MirrorPadGrad")
    return index ? Dims{2, 2} : Dims{9, 9};
  if (op == "StridedSliceGrad")
    return operand == "dy" ? Dims{2, 3} : Dims{2};
  return std::nullopt;
}

} // namespace

std::optional<Dims> nacre::getTensorflowShape(Draw &draw, StringRef op, StringRef operand, size_t index,
                                              const Dims &x) {
  const auto rank = int64_t(x.size());
  const bool hasVolumes = op.contains("3D");
  if (std::optional<Dims> shape = getTrainingShape(op, operand, index))
    return shape;
  if (op == "FakeQuantWithMinMaxVarsPerChannel")
    return index ? Dims{x.empty() ? 1 : x.back()} : x;
  if (op.contains("Conv"))
    return operand == "filter" ? hasVolumes ? Dims{1, 2, 2, 3, 3} : Dims{2, 2, 3, 3}
           : hasVolumes        ? Dims{1, 2, 4, 4, 3}
                               : Dims{2, 4, 4, 3};
  if (op == "Mfcc")
    return index ? Dims{} : Dims{1, 3, 9};
  if (op == "Dilation2D")
    return index ? Dims{2, 2, 3} : Dims{2, 4, 4, 3};
  if (op.contains("Pool"))
    return hasVolumes ? Dims{1, 2, 4, 4, 3} : Dims{2, 4, 4, 3};
  if (op.starts_with("Resize") || op == "LRN" || op == "ExtractImagePatches" || op.starts_with("FusedBatchNorm") ||
      op.starts_with("Adjust") || op.contains("HSV"))
    return index ? op.starts_with("Resize") ? Dims{2} : op.starts_with("Adjust") ? Dims{} : Dims{3} : Dims{2, 4, 4, 3};
  if (op == "DepthToSpace" || op == "SpaceToDepth" || op == "BatchToSpace" || op == "SpaceToBatch")
    return index ? Dims{2, 2} : Dims{4, 2, 2, 4};
  if (op == "BatchToSpaceND" || op == "SpaceToBatchND")
    return index == 0 ? Dims{4, 2, 3} : index == 1 ? Dims{1} : Dims{1, 2};
  if (op.starts_with("DrawBoundingBoxes"))
    return std::vector<Dims>{{2, 4, 4, 3}, {2, 3, 4}, {2, 3}}[index];
  if (op == "CropAndResize")
    return std::vector<Dims>{{2, 4, 4, 3}, {3, 4}, {3}, {2}}[index];
  if (op.starts_with("NonMaxSuppression"))
    return std::vector<Dims>{{5, 4}, {5}, {}, {}, {}, {}}[index];
  if (op == "MatMul")
    return Dims{3, 3};
  if (op.contains("BlockCell") || op.starts_with("BlockLSTM")) {
    const bool isGru = op.starts_with("GRU");
    if (operand == "seq_len_max")
      return Dims{};
    if (operand == "x")
      return op.starts_with("BlockLSTM") ? Dims{3, 2, 4} : Dims{2, 4};
    if (operand.ends_with("_prev"))
      return Dims{2, 5};
    if (operand.starts_with("wc"))
      return Dims{5};
    if (operand == "b_c")
      return Dims{5};
    if (operand == "w_c")
      return Dims{9, 5};
    return operand.starts_with("w") ? Dims{9, isGru ? 10 : 20} : Dims{isGru ? 10 : 20};
  }
  if (operand == "paddings" || operand == "crops")
    return Dims{rank, 2};
  if (op.starts_with("ScatterNd") || op.starts_with("TensorScatter")) {
    if (operand == "indices")
      return Dims{3, 1};
    if (operand == "shape")
      return Dims{2};
    return operand == "updates" ? Dims{3, 2} : Dims{4, 2};
  }
  if (op.starts_with("Scatter"))
    return operand == "indices" ? Dims{3} : operand == "updates" ? Dims{3, 2} : Dims{4, 2};
  if (op.contains("Segment"))
    return operand == "num_segments" ? Dims{} : index ? Dims{rank ? x[0] : 1} : x;
  if (op.starts_with("TensorArray") || op.starts_with("TensorList")) {
    if (operand == "element_shape")
      return Dims{2};
    if (operand == "indices" || operand == "lengths" || operand == "leading_dims")
      return Dims{3};
    if (operand.starts_with("value") || operand.starts_with("tensor"))
      return op.ends_with("PushBack") || op.contains("Write") ? Dims{2, 3} : Dims{3, 2, 3};
    return operand == "item" ? Dims{2, 3} : Dims{};
  }
  static constexpr const char *scalars[] = {"axis",
                                            "dim",
                                            "k",
                                            "n",
                                            "depth",
                                            "dimension",
                                            "size",
                                            "num",
                                            "start",
                                            "limit",
                                            "delta",
                                            "concat_dim",
                                            "min",
                                            "max",
                                            "stop",
                                            "nbins",
                                            "num_lower",
                                            "num_upper",
                                            "value",
                                            "on_value",
                                            "off_value",
                                            "split_dim",
                                            "constant_values",
                                            "clip_value_min",
                                            "clip_value_max",
                                            "sample_rate"};
  if (llvm::is_contained(scalars, operand) && !draw.oneIn(6))
    return op == "ReverseV2" || op == "Roll" ? Dims{1}
           : op == "BiasAdd" && index        ? Dims{x.empty() ? 1 : x.back()}
                                             : Dims{};
  if (operand == "begin" || operand == "end" || operand == "strides" || operand == "multiples" || operand == "perm")
    return Dims{rank};
  if (operand == "size" || operand == "size_splits" || operand == "shape" || operand == "dims")
    return Dims{draw.of<int64_t>({rank, 2, 1})};
  return std::nullopt;
}

void nacre::settleTensorflowOperand(Draw &draw, StringRef op, StringRef name, DrawnOperand &operand) {
  if (name == "soft_nms_sigma" && !draw.oneIn(4))
    operand = {DrawnOperand::Constant, onnx::TensorProto::FLOAT, {}, {}, /*isZero=*/true};
  if (name == "min" || name == "max")
    operand.kind = draw.oneIn(4) ? operand.kind : DrawnOperand::Constant;
  if (name == "size_splits" && !draw.oneIn(4)) {
    operand.kind = DrawnOperand::Constant;
    operand.values = draw.oneIn(2) ? Dims{-1} : Dims{1, -1};
  }
  const bool hasVolumes = op.contains("3D");
  std::optional<Dims> values;
  if (name == "input_sizes" || name == "orig_input_shape")
    values = hasVolumes ? Dims{1, 2, 4, 4, 3} : Dims{2, 4, 4, 3};
  if (name == "filter_sizes")
    values = op.starts_with("Depthwise") ? Dims{2, 2, 3, 1} : hasVolumes ? Dims{1, 2, 2, 3, 3} : Dims{2, 2, 3, 3};
  if (op == "ResizeNearestNeighborGrad" && name == "size")
    values = Dims{2, 2};
  if (op == "StridedSliceGrad" && name != "dy")
    values = name == "shape" ? Dims{4, 3} : name == "begin" ? Dims{1, 0} : name == "end" ? Dims{3, 3} : Dims{1, 1};
  if (!values || draw.oneIn(4))
    return;
  operand.kind = DrawnOperand::Constant;
  operand.values = *values;
}
