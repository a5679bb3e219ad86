// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products. A convolution follows its definition: patches of the input times the filter. multiply(), a product
// of two matrices, is the only loop that adds up products.

#include "compiler/evaluate/Operators.h"
#include "compiler/evaluate/Walks.h"

#include <cmath>

using namespace mlir;

namespace nacre::evaluate {
namespace {

/// Return `sum` plus a product. Sums of integers wrap at 64 bits, so they also wrap correctly in narrower types.
double add(double sum, double x, double y) { return sum + x * y; }
int64_t add(int64_t sum, int64_t x, int64_t y) { return int64_t(uint64_t(sum) + uint64_t(x) * uint64_t(y)); }

/// Number of rows that are computed together, so that the right operand is read once for all of them.
constexpr int64_t rowsAtOnce = 8;

/// Adds `left` [m, k] times `right` [k, n] to `out` [m, n]. `leftRow`, `rightRow` and `outRow` are the distances
/// between rows.
template <typename T>
void multiply(const Cell *left, int64_t leftRow, const Cell *right, int64_t rightRow, Cell *out, int64_t outRow,
              int64_t m, int64_t k, int64_t n) {
  for (int64_t begin = 0; begin < m; begin += rowsAtOnce)
    for (int64_t p = 0; p < k; ++p)
      for (int64_t i = begin; i < std::min(m, begin + rowsAtOnce); ++i) {
        const T x = get<T>(left[i * leftRow + p]);
        const Cell *from = right + p * rightRow;
        Cell *to = out + i * outRow;
        for (int64_t j = 0; j < n; ++j)
          set(to[j], add(get<T>(to[j]), x, get<T>(from[j])));
      }
}

void multiply(bool isFloat, const Cell *left, int64_t leftRow, const Cell *right, int64_t rightRow, Cell *out,
              int64_t outRow, int64_t m, int64_t k, int64_t n) {
  if (isFloat)
    multiply<double>(left, leftRow, right, rightRow, out, outRow, m, k, n);
  else
    multiply<int64_t>(left, leftRow, right, rightRow, out, outRow, m, k, n);
}

/// Wraps sums of integers from 64 bits to the type of the result.
void wrap(Tensor &tensor) {
  Cell *cells = tensor.write();
  for (int64_t i = 0; i < tensor.size() && !tensor.isFloat(); ++i)
    cells[i].integer = wrapTo(tensor.getElementType(), cells[i].integer);
}

Tensor multiplyMatrices(const Tensor &left, const Tensor &right, RankedTensorType type) {
  Tensor result(type);
  Cell *to = result.write();
  const Dims shape = type.getShape();
  const int64_t m = shape[shape.size() - 2], n = shape.back(), k = left.getShape().back();
  const Shape leftStrides = broadcastStridesOf(left.getShape(), shape);
  const Shape rightStrides = broadcastStridesOf(right.getShape(), shape);
  forEachIndex(shape.drop_back(2), [&](Dims batch) {
    multiply(left.isFloat(), left.begin() + positionOf(batch, leftStrides), k,
             right.begin() + positionOf(batch, rightStrides), n, to, n, m, k, n);
    to += m * n;
  });
  wrap(result);
  return result;
}

/// Returns the spatial axes of `[N, spatial..., C]`.
Dims spatialOf(const Tensor &tensor) { return tensor.getShape().drop_front().drop_back(); }

} // namespace

Tensor evaluate(nn::MatMulOp op, Operands operands) { return multiplyMatrices(operands[0], operands[1], op.getType()); }

/// Returns `codes` minus their zero point.
static Tensor centred(const Tensor &codes, int64_t zero) {
  Tensor result(RankedTensorType::get(codes.getShape(), IntegerType::get(codes.getType().getContext(), 32)));
  Cell *cells = result.write();
  for (int64_t i = 0; i < codes.size(); ++i)
    cells[i].integer = codes.integer(i) - zero;
  return result;
}

/// Returns the integers of `type` that are nearest to `weights` / `scale`, minus the zero point.
static Tensor quantizeWeights(const Tensor &weights, double scale, int64_t zero, Type type) {
  Tensor result(RankedTensorType::get(weights.getShape(), IntegerType::get(type.getContext(), 32)));
  Cell *cells = result.write();
  const double least = type.isUnsignedInteger() ? 0 : -128, most = least + 255;
  for (int64_t i = 0; i < weights.size(); ++i)
    cells[i].integer =
        int64_t(std::clamp(std::nearbyint(weights.number(i) / scale) + double(zero), least, most)) - zero;
  return result;
}

/// Returns operand `value` of `op`, or null if `op` does not have it.
static const Tensor *operandOf(nn::AttentionOp op, Value value, Operands operands) {
  for (auto [operand, tensor] : llvm::zip_equal(op->getOpOperands(), operands))
    if (value && operand.get() == value)
      return &tensor;
  return nullptr;
}

/// Sets the scores from `products` of queries and keys: scaled, capped, with the mask, and -inf for keys out of bounds.
static void computeScores(nn::AttentionOp op, Operands operands, const Tensor &products, Tensor &scores) {
  const double scale = op.getScoreFactor();
  const std::optional<APFloat> softcap = op.getSoftcap();
  const Dims shape = scores.getShape();
  const int64_t numKeys = shape.back(), numQueries = shape[shape.size() - 2];
  const Tensor *mask = operandOf(op, op.getMask(), operands), *offset = operandOf(op, op.getOffset(), operands);
  auto stridesIn = [&](const Tensor *tensor) {
    return tensor ? broadcastStridesOf(tensor->getShape(), shape) : Shape(shape.size(), 0);
  };
  const Shape strides[] = {stridesIn(mask), stridesIn(offset)};
  Cell *cells = scores.write();
  forEachElement(shape, strides, [&](int64_t i, const int64_t *at) {
    double score = (products.isFloat() ? products.number(i) : double(products.integer(i))) * scale;
    if (softcap)
      score = softcap->convertToDouble() * std::tanh(score / softcap->convertToDouble());
    score += mask ? mask->number(at[0]) : 0;
    const int64_t position = i / numKeys % numQueries + (offset ? offset->integer(at[1]) : 0), key = i % numKeys;
    const bool isSeen = (!op.getBefore() || key >= position - int64_t(*op.getBefore())) &&
                        (!op.getBehind() || key <= position + int64_t(*op.getBehind()));
    cells[i].number = isSeen ? score : -HUGE_VAL;
  });
}

/// Replaces each row of scores by its softmax.
static void soften(nn::AttentionOp op, Operands operands, Tensor &scores) {
  const Tensor *sink = operandOf(op, op.getSink(), operands);
  Shape rows(scores.getShape());
  const int64_t n = rows.back();
  rows.back() = 1;
  const Shape strides[] = {sink ? broadcastStridesOf(sink->getShape(), rows) : Shape(rows.size(), 0)};
  Cell *cells = scores.write();
  forEachElement(rows, strides, [&](int64_t row, const int64_t *at) {
    const MutableArrayRef<Cell> ofRow(cells + row * n, n);
    const double other = sink ? sink->number(at[0]) : -HUGE_VAL;
    double largest = other;
    for (const Cell &cell : ofRow)
      largest = std::max(largest, cell.number);
    const bool isHidden = largest == -HUGE_VAL && op.getHidesRows();
    double sum = sink ? std::exp(other - largest) : 0;
    for (Cell &cell : ofRow)
      sum += cell.number = std::exp(cell.number - largest);
    for (Cell &cell : ofRow)
      cell.number = isHidden ? 0 : cell.number / sum;
  });
}

Tensor evaluate(nn::AttentionOp op, Operands operands) {
  using Part = nn::AttentionOp::Part;
  auto read = [&](Part part, const Tensor &operand) {
    return op.isOfCodes() ? centred(operand, op.getCodesOf(part).getZero()) : operand;
  };
  const Tensor queries = read(Part::Queries, operands[0]), keys = read(Part::Keys, operands[1]),
               values = read(Part::Values, operands[2]);
  Shape shape(op.getType().getShape());
  shape.back() = keys.getShape().back();
  const Tensor products = multiplyMatrices(queries, keys, RankedTensorType::get(shape, queries.getElementType()));
  Tensor scores(
      RankedTensorType::get(shape, op.isOfCodes() ? Float32Type::get(op.getContext()) : queries.getElementType()));
  computeScores(op, operands, products, scores);
  soften(op, operands, scores);
  if (!op.isOfCodes())
    return multiplyMatrices(scores, values, op.getType());
  const nn::CodesAttr codes = op.getCodesOf(Part::Weights);
  const Tensor weights =
      quantizeWeights(scores, codes.getScale().convertToDouble(), codes.getZero(), operands[0].getElementType());
  return multiplyMatrices(weights, values, op.getType());
}

Tensor evaluate(nn::ConvOp op, Operands operands) {
  const Tensor &input = operands[0], &filter = operands[1];
  Tensor result(op.getType());
  Cell *to = result.write();
  const Dims spatial = spatialOf(input), places = spatialOf(result), kernel = filter.getShape().drop_back(2);
  const auto groups = int64_t(op.getGroups());
  const int64_t channels = input.getShape().back(), filters = filter.getShape().back();
  const int64_t inGroup = channels / groups, outOfGroup = filters / groups, taps = product(kernel);
  const Shape strides = stridesOf(input.getShape());
  Cell padding{};
  if (!input.isFloat())
    padding.integer = int64_t(op.getPadValue());

  // Patches of the input for some positions of the result, for one group: [places, taps, channels of the group].
  std::vector<Cell> patches(rowsAtOnce * taps * inGroup);
  const int64_t patchSize = taps * inGroup, count = product(places);
  for (int64_t image = 0; image < input.getShape().front(); ++image)
    for (int64_t group = 0; group < groups; ++group)
      for (int64_t begin = 0; begin < count; begin += rowsAtOnce) {
        const int64_t rows = std::min(rowsAtOnce, count - begin);
        for (int64_t row = 0; row < rows; ++row) {
          Shape place(places.size());
          for (int64_t axis = int64_t(places.size()) - 1, rest = begin + row; axis >= 0; rest /= places[axis], --axis)
            place[axis] = rest % places[axis];
          Cell *patch = patches.data() + row * patchSize;
          forEachIndex(kernel, [&](Dims tap) {
            int64_t from = image * strides[0] + group * inGroup;
            bool isInside = true;
            for (size_t axis = 0; axis < spatial.size(); ++axis) {
              const int64_t at =
                  place[axis] * op.getStrides()[axis] + tap[axis] * op.getDilations()[axis] - op.getPads()[axis];
              isInside &= at >= 0 && at < spatial[axis];
              from += at * strides[axis + 1];
            }
            for (int64_t channel = 0; channel < inGroup; ++channel)
              *patch++ = isInside ? input[from + channel] : padding;
          });
        }
        multiply(input.isFloat(), patches.data(), patchSize, filter.begin() + group * outOfGroup, filters,
                 to + (image * count + begin) * filters + group * outOfGroup, filters, rows, patchSize, outOfGroup);
      }
  wrap(result);
  return result;
}

Tensor evaluate(nn::ConvTransposeOp op, Operands operands) {
  const Tensor &input = operands[0], &filter = operands[1];
  Tensor result(op.getType());
  Cell *to = result.write();
  const Dims spatial = spatialOf(input), places = spatialOf(result), kernel = filter.getShape().drop_back(2);
  const auto groups = int64_t(op.getGroups());
  const int64_t channels = input.getShape().back(), filters = filter.getShape().back();
  const int64_t inGroup = channels / groups, outOfGroup = filters / groups;
  const Shape strides = stridesOf(result.getShape());
  for (int64_t image = 0, from = 0; image < input.getShape().front(); ++image)
    forEachIndex(spatial, [&](Dims place) {
      int64_t tapNumber = 0;
      forEachIndex(kernel, [&](Dims tap) {
        const Cell *weights = filter.begin() + tapNumber++ * inGroup * filters;
        int64_t at = image * strides[0];
        for (size_t axis = 0; axis < spatial.size(); ++axis) {
          const int64_t position =
              place[axis] * op.getStrides()[axis] + tap[axis] * op.getDilations()[axis] - op.getPads()[axis];
          if (position < 0 || position >= places[axis])
            return;
          at += position * strides[axis + 1];
        }
        for (int64_t group = 0; group < groups; ++group)
          multiply<double>(input.begin() + from + group * inGroup, inGroup, weights + group * outOfGroup, filters,
                           to + at + group * outOfGroup, filters, 1, inGroup, outOfGroup);
      });
      from += channels;
    });
  return result;
}

Tensor evaluate(nn::FilterGradientOp op, Operands operands) {
  const Tensor &input = operands[0], &gradient = operands[1];
  Tensor result(op.getType());
  Cell *to = result.write();
  const Dims spatial = spatialOf(input), places = spatialOf(gradient);
  const int64_t channels = input.getShape().back(), filters = gradient.getShape().back();
  const Shape strides = stridesOf(input.getShape());
  const Shape parts(op.getParts().value_or(Dims{1, 1}));
  const int64_t images = input.getShape().front() / parts[0], rows = places.empty() ? 1 : places.front() / parts[1];
  const int64_t all = result.size() / (parts[0] * parts[1]);
  forEachIndex(op.getKernel(), [&](Dims tap) {
    for (int64_t image = 0, from = 0; image < input.getShape().front(); ++image)
      forEachIndex(places, [&](Dims place) {
        int64_t at = image * strides[0];
        for (size_t axis = 0; axis < spatial.size(); ++axis)
          at += (place[axis] * op.getStrides()[axis] + tap[axis] * op.getDilations()[axis]) * strides[axis + 1];
        // Multiplies a column of the input's channels by a row of the gradient's channels.
        const int64_t part = image / images * parts[1] + (place.empty() ? 0 : place.front() / rows);
        multiply<double>(input.begin() + at, 1, gradient.begin() + from, filters, to + part * all, filters, channels, 1,
                         filters);
        from += filters;
      });
    to += channels * filters;
  });
  return result;
}

} // namespace nacre::evaluate
