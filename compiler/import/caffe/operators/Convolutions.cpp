// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions. In Caffe, channels are the first axis after the batch, and in `nn` they are the last. So each
// convolution is between two transposes, which the graph phase cancels against neighbouring ones.

#include "compiler/import/caffe/Blobs.h"
#include "compiler/import/caffe/Handlers.h"
#include "compiler/import/caffe/operators/Windows.h"
#include "compiler/import/messages/TypeNames.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nacre::importer::caffe_format {
namespace {

struct Convolution {
  Window window;
  int64_t outputs, groups;
  bool hasBias;
};

/// Reads the parameters of both kinds of convolutions. Fails after an error.
FailureOr<Convolution> readConvolution(OperandBinder &node) {
  node.ignore({"force_nd_im2col"});
  if (!node.checkRank(0, 4, 4))
    return failure();
  if (int64_t axis = node.getInt("axis", 1); axis != 1 && axis != -3)
    return node.error() << "parameter 'axis' must be 1, but is " << axis;
  FailureOr<Window> window = readWindow(node, /*isDilated=*/true);
  if (failed(window))
    return failure();
  Convolution read{std::move(*window), node.getInt("num_output", 0), node.getInt("group", 1),
                   node.getFlag("bias_term", true)};
  int64_t channels = getShape(node.getOperand(0))[1];
  if (read.outputs < 1 || read.groups < 1 || channels % read.groups || read.outputs % read.groups)
    return node.error() << "parameters 'group' and 'num_output' must be at least 1, and 'group' must divide "
                        << "'num_output' and the " << describeCount(channels, "channel") << " of "
                        << describe(node.getOperand(0)) << ", but they are " << read.groups << " and " << read.outputs;
  return read;
}

void finish(OperandBinder &node, Blobs &blobs, Value y, const Convolution &read) {
  Value bias = read.hasBias ? blobs.get(1, {read.outputs}, {"bias_filler", 0}) : Value();
  if (!node.hasFailed())
    node.setResult(node.nn.toChannelsFirst(bias ? node.nn.add(y, bias) : y));
}

void importConvolution(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  FailureOr<Convolution> read = readConvolution(node);
  if (failed(read) || !checkPlaces(node, read->window, read->outputs))
    return;
  Value x = node.getOperand(0);
  const Window &window = read->window;
  Value weights = blobs.get(0, {read->outputs, getShape(x)[1] / read->groups, window.kernel[0], window.kernel[1]},
                            {"weight_filler", {}});
  if (!weights)
    return;
  Value y = nn.conv(nn.toChannelsLast(x), nn.transpose(weights, {2, 3, 1, 0}), window.strides, window.pads,
                    window.dilations, read->groups);
  finish(node, blobs, y, *read);
}

/// Checks that the result fits into memory. Along each axis, it has stride * (size - 1) + extent - pads cells.
bool checkTransposed(OperandBinder &node, const Convolution &read) {
  Ints shape = getShape(node.getOperand(0));
  std::optional<SmallVector<int64_t>> reach = getReach(read.window, shape.drop_front(2));
  SmallVector<int64_t> widest(shape), result(shape);
  widest[1] = result[1] = read.outputs;
  for (size_t axis = 0; reach && axis < 2; ++axis) {
    widest[axis + 2] = (*reach)[axis];
    result[axis + 2] = (*reach)[axis] - read.window.pads[axis] - read.window.pads[axis + 2];
  }
  if (!reach || llvm::any_of(Ints(result).drop_front(2), [](int64_t size) { return size < 1; })) {
    node.error() << "the pads must leave a result of valid size";
    return false;
  }
  return node.checkFits(widest, "the result without its pads") && node.checkFits(result);
}

void importDeconvolution(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  Blobs blobs(node);
  FailureOr<Convolution> read = readConvolution(node);
  if (failed(read) || !checkTransposed(node, *read))
    return;
  Value x = node.getOperand(0);
  const Window &window = read->window;
  int64_t groups = read->groups, inputs = getShape(x)[1] / groups, outputs = read->outputs / groups;
  int64_t high = window.kernel[0], wide = window.kernel[1];
  Value weights = blobs.get(0, {groups * inputs, outputs, high, wide}, {"weight_filler", {}});
  if (!weights)
    return;
  // Transposes [IC, OC / groups, spatial...] to [spatial..., IC / groups, OC].
  Value grouped = nn.reshape(weights, {groups, inputs, outputs, high, wide});
  Value filter = nn.reshape(nn.transpose(grouped, {3, 4, 1, 0, 2}), {high, wide, inputs, read->outputs});
  Value y = nn.convTranspose(nn.toChannelsLast(x), filter, window.strides, window.pads, window.dilations, groups);
  finish(node, blobs, y, *read);
}

} // namespace

void registerConvolutions(ImportRegistry &registry) {
  const Signature operands{{"bottom", Holds::Floats}, {"blobs...?", Holds::Floats}};
  registry.add("Convolution", 1, operands, importConvolution);
  registry.add("Deconvolution", 1, operands, importDeconvolution);
}

} // namespace nacre::importer::caffe_format
