// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How:  1. scalar functions of each kind, in double and in int64,
//       2. elementwise operators, row by row,
//       3. contractions and reductions,
//       4. data movement, as tables for copyIndexed,
//       5. the dispatch.

#include "dialects/nn/Evaluate.h"
#include "dialects/nn/ConstantData.h"
#include "dialects/nn/IndexedCopy.h"
#include "dialects/nn/NnDialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;

namespace nacre::nn {

namespace {

using Views = ArrayRef<ConstantView>;

/// A constant product larger than this is left to the compiled model: about a tenth of a second of this interpreter.
constexpr int64_t maxMultiplications = int64_t(1) << 26;

//===----------------------------------------------------------------------===//
// 1. Scalar functions
//===----------------------------------------------------------------------===//

bool isComparison(BinaryKind kind) { return kind >= BinaryKind::Equal && kind <= BinaryKind::GreaterEqual; }

template <typename T> bool compare(BinaryKind kind, T a, T b) {
  switch (kind) {
  case BinaryKind::Equal:
    return a == b;
  case BinaryKind::Less:
    return a < b;
  case BinaryKind::LessEqual:
    return a <= b;
  case BinaryKind::Greater:
    return a > b;
  default:
    return a >= b;
  }
}

double apply(UnaryKind kind, double x, double alpha) {
  switch (kind) {
  case UnaryKind::Abs:
    return std::fabs(x);
  case UnaryKind::Neg:
    return -x;
  case UnaryKind::Exp:
    return std::exp(x);
  case UnaryKind::Log:
    return std::log(x);
  case UnaryKind::Sqrt:
    return std::sqrt(x);
  case UnaryKind::Reciprocal:
    return 1 / x;
  case UnaryKind::Floor:
    return std::floor(x);
  case UnaryKind::Ceil:
    return std::ceil(x);
  case UnaryKind::Round:
    return std::nearbyint(x);
  case UnaryKind::Sign:
    return x > 0 ? 1 : x < 0 ? -1 : x;
  case UnaryKind::Relu:
    return x < 0 ? 0 : x;
  case UnaryKind::Sigmoid:
    return 1 / (1 + std::exp(-x));
  case UnaryKind::Tanh:
    return std::tanh(x);
  case UnaryKind::Erf:
    return std::erf(x);
  case UnaryKind::Sin:
    return std::sin(x);
  case UnaryKind::Cos:
    return std::cos(x);
  case UnaryKind::Tan:
    return std::tan(x);
  case UnaryKind::Asin:
    return std::asin(x);
  case UnaryKind::Acos:
    return std::acos(x);
  case UnaryKind::Atan:
    return std::atan(x);
  case UnaryKind::Sinh:
    return std::sinh(x);
  case UnaryKind::Cosh:
    return std::cosh(x);
  case UnaryKind::Asinh:
    return std::asinh(x);
  case UnaryKind::Acosh:
    return std::acosh(x);
  case UnaryKind::Atanh:
    return std::atanh(x);
  case UnaryKind::Softplus:
    // log(1 + exp(x)) without overflow.
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
  case UnaryKind::IsNaN:
    return std::isnan(x);
  case UnaryKind::IsInf:
    return std::isinf(x);
  case UnaryKind::LeakyRelu:
    return x < 0 ? alpha * x : x;
  case UnaryKind::Elu:
    return x < 0 ? alpha * std::expm1(x) : x;
  case UnaryKind::Gelu:
    return x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
  case UnaryKind::Not:
  case UnaryKind::BitNot:
    break;
  }
  llvm_unreachable("inference refuses other kinds for floats");
}

int64_t apply(UnaryKind kind, int64_t x, bool isUnsigned) {
  switch (kind) {
  case UnaryKind::Abs:
    return isUnsigned || x >= 0 ? x : int64_t(0 - uint64_t(x));
  case UnaryKind::Neg:
    return int64_t(0 - uint64_t(x));
  case UnaryKind::Sign:
    return x == 0 ? 0 : isUnsigned || x > 0 ? 1 : -1;
  case UnaryKind::Relu:
    return isUnsigned || x > 0 ? x : 0;
  case UnaryKind::Not:
    return !x;
  case UnaryKind::BitNot:
    return ~x;
  default:
    llvm_unreachable("inference refuses other kinds for integers");
  }
}

double apply(BinaryKind kind, double a, double b) {
  switch (kind) {
  case BinaryKind::Add:
    return a + b;
  case BinaryKind::Sub:
    return a - b;
  case BinaryKind::Mul:
    return a * b;
  case BinaryKind::Div:
    return a / b;
  case BinaryKind::Mod: {
    double rest = std::fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  case BinaryKind::Fmod:
    return std::fmod(a, b);
  case BinaryKind::Pow:
    return std::pow(a, b);
  case BinaryKind::Min:
    return std::isnan(a) || a < b ? a : b;
  case BinaryKind::Max:
    return std::isnan(a) || a > b ? a : b;
  default:
    llvm_unreachable("inference refuses other kinds for floats");
  }
}

/// Integer kinds whose result depends on signedness; a division by zero is 0, which no model may rely on.
template <typename T> T divideOrCompare(BinaryKind kind, T a, T b) {
  if (kind == BinaryKind::Min)
    return std::min(a, b);
  if (kind == BinaryKind::Max)
    return std::max(a, b);
  // The smallest number by -1 overflows; its quotient wraps to itself and the remainder is 0.
  if (b == 0 || (std::is_signed_v<T> && b == T(-1)))
    return kind == BinaryKind::Div && b != 0 ? T(0 - uint64_t(a)) : 0;
  if (kind == BinaryKind::Div)
    return a / b;
  T rest = a % b;
  return kind == BinaryKind::Mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent % 2 ? -1 : 1) : 0;
  uint64_t result = 1, factor = base;
  for (; exponent; exponent >>= 1, factor *= factor)
    if (exponent & 1)
      result *= factor;
  return result;
}

int64_t apply(BinaryKind kind, int64_t a, int64_t b, bool isUnsigned) {
  uint64_t ua = a, ub = b;
  switch (kind) {
  case BinaryKind::Add:
    return ua + ub;
  case BinaryKind::Sub:
    return ua - ub;
  case BinaryKind::Mul:
    return ua * ub;
  case BinaryKind::Pow:
    return power(a, b);
  case BinaryKind::And:
    return a & b;
  case BinaryKind::Or:
    return a | b;
  case BinaryKind::Xor:
    return a ^ b;
  case BinaryKind::ShiftLeft:
    return ub < 64 ? ua << ub : 0;
  case BinaryKind::ShiftRight:
    return ub < 64 ? (isUnsigned ? int64_t(ua >> ub) : a >> ub) : 0;
  default:
    return isUnsigned ? int64_t(divideOrCompare(kind, ua, ub)) : divideOrCompare(kind, a, b);
  }
}

/// Sums and products wrap for integers, where plain ones would be undefined.
template <typename T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) + uint64_t(b));
  else
    return a + b;
}

template <typename T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}

//===----------------------------------------------------------------------===//
// 2. Elementwise
//===----------------------------------------------------------------------===//

/// Strides with which `view` is read under the broadcast `shape`.
SmallVector<int64_t> broadcastStrides(const ConstantView &view, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 0);
  SmallVector<int64_t> own = rowMajorStrides(view.getShape());
  size_t missing = shape.size() - own.size();
  for (auto [axis, dim] : llvm::enumerate(view.getShape()))
    strides[missing + axis] = dim == 1 ? 0 : own[axis];
  return strides;
}

/// Calls `body(resultIndex, count, rows)` for stretches of the result's last axis; `rows` are the operands' elements,
/// converted to T.
template <typename T, typename Body> void forEachRow(ArrayRef<int64_t> shape, Views views, Body &&body) {
  constexpr int64_t longest = 1024;
  SmallVector<SmallVector<int64_t>> strides;
  for (const ConstantView &view : views)
    strides.push_back(broadcastStrides(view, shape));
  int64_t length = shape.empty() ? 1 : shape.back();
  ArrayRef<int64_t> outer = shape.empty() ? shape : shape.drop_back();
  SmallVector<SmallVector<T, 0>> rows(views.size(), SmallVector<T, 0>(std::min(length, longest)));
  int64_t result = 0;
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    for (int64_t begin = 0; begin < length; begin += longest) {
      int64_t count = std::min(longest, length - begin);
      for (auto [view, stride, row] : llvm::zip(views, strides, rows)) {
        int64_t step = stride.empty() ? 0 : stride.back();
        int64_t from = begin * step;
        for (auto [i, axisStride] : llvm::zip(index, stride))
          from += i * axisStride;
        view.read(from, step, count, row.data());
      }
      body(result, count, rows);
      result += count;
    }
  });
}

/// A builder for `type`: a splat if all operands are. `shape` becomes that of the elements to compute.
ConstantBuilder startElementwise(RankedTensorType type, Views views, SmallVectorImpl<int64_t> &shape) {
  bool splat =
      type.getNumElements() > 0 && llvm::all_of(views, [](const ConstantView &view) { return view.isSplat(); });
  shape.assign(type.getShape().begin(), type.getShape().end());
  if (splat)
    shape.assign(shape.size(), 1);
  return ConstantBuilder(type, splat);
}

/// Computes each element of `type` by `function` of the operands' elements, read as T and stored from what it returns.
template <typename T, typename Function>
ElementsAttr mapElements(RankedTensorType type, Views views, Function &&function) {
  SmallVector<int64_t> shape;
  ConstantBuilder builder = startElementwise(type, views, shape);
  using Result = decltype(function(std::declval<ArrayRef<SmallVector<T, 0>>>(), int64_t()));
  SmallVector<Result, 0> values;
  forEachRow<T>(shape, views, [&](int64_t index, int64_t count, ArrayRef<SmallVector<T, 0>> rows) {
    values.resize(count);
    for (int64_t i = 0; i < count; ++i)
      values[i] = function(rows, i);
    builder.write(index, ArrayRef<Result>(values));
  });
  return std::move(builder).take();
}

bool isFloat(Type type) { return isa<FloatType>(type); }

ElementsAttr evaluateUnary(UnaryOp op, Views views) {
  Type element = views[0].getElementType();
  UnaryKind kind = op.getKind();
  if (isFloat(element)) {
    double alpha = op.getAlpha().convertToDouble();
    return mapElements<double>(op.getType(), views,
                               [&](auto rows, int64_t i) { return apply(kind, rows[0][i], alpha); });
  }
  bool isUnsigned = element.isUnsignedInteger();
  return mapElements<int64_t>(op.getType(), views,
                              [&](auto rows, int64_t i) { return apply(kind, rows[0][i], isUnsigned); });
}

ElementsAttr evaluateBinary(BinaryOp op, Views views) {
  Type element = views[0].getElementType();
  BinaryKind kind = op.getKind();
  bool isUnsigned = element.isUnsignedInteger();
  // A power may have an integer base and a float exponent.
  if (isFloat(element) || isFloat(views[1].getElementType())) {
    if (isComparison(kind))
      return mapElements<double>(op.getType(), views,
                                 [&](auto rows, int64_t i) { return int64_t(compare(kind, rows[0][i], rows[1][i])); });
    return mapElements<double>(op.getType(), views,
                               [&](auto rows, int64_t i) { return apply(kind, rows[0][i], rows[1][i]); });
  }
  if (isComparison(kind))
    return mapElements<int64_t>(op.getType(), views, [&](auto rows, int64_t i) {
      int64_t a = rows[0][i], b = rows[1][i];
      return int64_t(isUnsigned ? compare(kind, uint64_t(a), uint64_t(b)) : compare(kind, a, b));
    });
  return mapElements<int64_t>(op.getType(), views,
                              [&](auto rows, int64_t i) { return apply(kind, rows[0][i], rows[1][i], isUnsigned); });
}

/// Chosen values keep their bits in int64; only floats travel as doubles, which hold every float type.
ElementsAttr evaluateSelect(SelectOp op, Views views) {
  auto choose = [](auto rows, int64_t i) { return rows[0][i] != 0 ? rows[1][i] : rows[2][i]; };
  if (isFloat(op.getType().getElementType()))
    return mapElements<double>(op.getType(), views, choose);
  return mapElements<int64_t>(op.getType(), views, choose);
}

ElementsAttr evaluateCast(CastOp op, Views views) {
  auto same = [](auto rows, int64_t i) { return rows[0][i]; };
  if (isFloat(op.getType().getElementType()) || isFloat(views[0].getElementType()))
    return mapElements<double>(op.getType(), views, same);
  return mapElements<int64_t>(op.getType(), views, same);
}

//===----------------------------------------------------------------------===//
// 3. Contractions and reductions
//===----------------------------------------------------------------------===//

template <typename T> ElementsAttr evaluateMatMul(MatMulOp op, Views views) {
  RankedTensorType type = op.getType();
  ConstantBuilder builder(type);
  ArrayRef<int64_t> shape = type.getShape();
  int64_t m = shape[shape.size() - 2], n = shape.back(), k = views[0].getShape().back();
  SmallVector<int64_t> leftStrides = broadcastStrides(views[0], shape);
  SmallVector<int64_t> rightStrides = broadcastStrides(views[1], shape);
  SmallVector<T, 0> left(k), right(k * n), row(n);
  int64_t result = 0;
  forEachIndex(shape.drop_back(2), [&](ArrayRef<int64_t> batch) {
    int64_t from = 0, other = 0;
    for (auto [i, a, b] : llvm::zip(batch, leftStrides, rightStrides)) {
      from += i * a;
      other += i * b;
    }
    views[1].read(other, 1, right.size(), right.data());
    for (int64_t i = 0; i < m; ++i, result += n) {
      views[0].read(from + i * k, 1, k, left.data());
      std::fill(row.begin(), row.end(), T(0));
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j)
          row[j] = add(row[j], multiply(left[p], right[p * n + j]));
      builder.write(result, ArrayRef<T>(row));
    }
  });
  return std::move(builder).take();
}

template <typename T> T startOf(ReduceKind kind) {
  using Limits = std::numeric_limits<T>;
  switch (kind) {
  case ReduceKind::Max:
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  case ReduceKind::Min:
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  case ReduceKind::Prod:
    return 1;
  case ReduceKind::Sum:
  case ReduceKind::Mean:
    return 0;
  }
  llvm_unreachable("all kinds are above");
}

/// T is double, int64_t or uint64_t (`Read` is what the view converts to; unsigned values keep their bits).
template <typename T, typename Read> ElementsAttr evaluateReduce(ReduceOp op, Views views) {
  ArrayRef<int64_t> shape = views[0].getShape(), axes = op.getAxes();
  RankedTensorType type = op.getType();
  SmallVector<int64_t> kept(shape), strides;
  int64_t reduced = 1;
  for (int64_t axis : axes) {
    reduced *= shape[axis];
    kept[axis] = 1;
  }
  strides = rowMajorStrides(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;

  ReduceKind kind = op.getKind();
  SmallVector<T, 0> totals(type.getNumElements(), startOf<T>(kind));
  int64_t step = strides.empty() ? 0 : strides.back();
  int64_t length = shape.empty() ? 1 : shape.back();
  int64_t source = 0;
  SmallVector<Read, 0> row(length);
  forEachIndex(shape.empty() ? shape : shape.drop_back(), [&](ArrayRef<int64_t> index) {
    int64_t to = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      to += i * stride;
    views[0].read(source, 1, length, row.data());
    source += length;
    for (Read value : row) {
      T &total = totals[to];
      T x = T(value);
      if (kind == ReduceKind::Max)
        total = x > total || x != x ? x : total;
      else if (kind == ReduceKind::Min)
        total = x < total || x != x ? x : total;
      else if (kind == ReduceKind::Prod)
        total = multiply(total, x);
      else
        total = add(total, x);
      to += step;
    }
  });
  if (kind == ReduceKind::Mean && (std::is_floating_point_v<T> || reduced != 0))
    for (T &total : totals)
      total /= T(reduced);
  ConstantBuilder builder(type);
  SmallVector<Read, 0> values(totals.begin(), totals.end());
  builder.write(0, ArrayRef<Read>(values));
  return std::move(builder).take();
}

/// Calls `body(base, outer)` for every line of `shape` along `axis`: its first element's index, and the line's number.
template <typename Body> void forEachLine(ArrayRef<int64_t> shape, int64_t axis, Body &&body) {
  SmallVector<int64_t> strides = rowMajorStrides(shape), others(shape);
  others[axis] = 1;
  int64_t line = 0;
  forEachIndex(others, [&](ArrayRef<int64_t> index) {
    int64_t base = 0;
    for (auto [i, stride] : llvm::zip(index, strides))
      base += i * stride;
    body(base, line++);
  });
}

ElementsAttr evaluateArgReduce(ArgReduceOp op, Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  int64_t axis = op.getAxis(), stride = rowMajorStrides(shape)[axis];
  ConstantBuilder builder(op.getType());
  auto search = [&](auto zero, auto &&better) {
    SmallVector<decltype(zero), 0> values(shape[axis]);
    forEachLine(shape, axis, [&](int64_t base, int64_t line) {
      views[0].read(base, stride, shape[axis], values.data());
      int64_t best = 0;
      for (int64_t i = 1; i < shape[axis]; ++i)
        if (better(values[i], values[best]) || (op.getSelectLast() && values[i] == values[best]))
          best = i;
      builder.write(line, ArrayRef<int64_t>(best));
    });
  };
  bool largest = op.getKind() == ArgKind::Max, isUnsigned = views[0].getElementType().isUnsignedInteger();
  if (isFloat(views[0].getElementType()))
    search(double(), [&](double a, double b) { return largest ? a > b : a < b; });
  else
    search(int64_t(), [&](int64_t a, int64_t b) {
      bool greater = isUnsigned ? uint64_t(a) > uint64_t(b) : a > b;
      return a != b && greater == largest;
    });
  return std::move(builder).take();
}

ElementsAttr evaluateSoftmax(SoftmaxOp op, Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  int64_t axis = op.getAxis(), stride = rowMajorStrides(shape)[axis];
  ConstantBuilder builder(op.getType());
  SmallVector<double, 0> values(shape[axis]);
  forEachLine(shape, axis, [&](int64_t base, int64_t) {
    views[0].read(base, stride, shape[axis], values.data());
    double largest = *llvm::max_element(values), sum = 0;
    for (double value : values)
      sum += std::exp(value - largest);
    for (auto [i, value] : llvm::enumerate(values)) {
      double shifted = value - largest;
      builder.write(base + int64_t(i) * stride,
                    ArrayRef<double>(op.getLog() ? shifted - std::log(sum) : std::exp(shifted) / sum));
    }
  });
  return std::move(builder).take();
}

//===----------------------------------------------------------------------===//
// 4. Data movement
//===----------------------------------------------------------------------===//

/// The result of `type` whose element at an index lies at the sum of the tables' offsets in `view`; splats stay splats.
ElementsAttr moveElements(RankedTensorType type, const ConstantView &view, const OffsetTables &tables,
                          ArrayRef<int64_t> shape) {
  bool splat = view.isSplat() && type.getNumElements() > 0;
  ConstantBuilder builder(type, splat);
  if (splat)
    std::memcpy(builder.at(0), view.at(0), builder.getElementBytes());
  else
    copyIndexed(builder.at(0), rowMajorStrides(shape), view.at(0), tables, builder.getElementBytes());
  return std::move(builder).take();
}

ElementsAttr evaluateTranspose(TransposeOp op, Views views) {
  SmallVector<int64_t> strides = rowMajorStrides(views[0].getShape());
  OffsetTables tables;
  for (int64_t axis : op.getPermutation())
    tables.push_back(walk(views[0].getShape()[axis], strides[axis]));
  return moveElements(op.getType(), views[0], tables, op.getType().getShape());
}

ElementsAttr evaluateBroadcast(BroadcastOp op, Views views) {
  OffsetTables tables;
  ArrayRef<int64_t> shape = op.getType().getShape();
  for (auto [dim, stride] : llvm::zip(shape, broadcastStrides(views[0], shape)))
    tables.push_back(walk(dim, stride));
  return moveElements(op.getType(), views[0], tables, shape);
}

ElementsAttr evaluateSlice(SliceOp op, Views views) {
  OffsetTables tables;
  for (auto [start, size, step, stride] :
       llvm::zip(op.getStarts(), op.getSizes(), op.getSteps(), rowMajorStrides(views[0].getShape())))
    tables.push_back(walk(size, step * stride, start * stride));
  return moveElements(op.getType(), views[0], tables, op.getType().getShape());
}

ElementsAttr evaluateGather(GatherOp op, Views views) {
  ArrayRef<int64_t> shape = views[0].getShape();
  SmallVector<int64_t> strides = rowMajorStrides(shape), flat;
  int64_t axis = op.getAxis(), extent = shape[axis];
  OffsetTables tables;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (int64_t(i) != axis) {
      tables.push_back(walk(dim, strides[i]));
    } else {
      tables.push_back({});
      for (int64_t index : views[1].readIntegers())
        tables.back().push_back(std::clamp(index < 0 ? index + extent : index, int64_t(0), extent - 1) * strides[i]);
    }
    flat.push_back(tables.back().size());
  }
  return moveElements(op.getType(), views[0], tables, flat);
}

ElementsAttr evaluateConcat(ConcatOp op, Views views) {
  RankedTensorType type = op.getType();
  ConstantBuilder builder(type);
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape());
  int64_t begin = 0;
  for (const ConstantView &view : views) {
    SmallVector<int64_t> own = rowMajorStrides(view.getShape());
    OffsetTables tables;
    for (auto [dim, stride] : llvm::zip(view.getShape(), own))
      tables.push_back(walk(dim, view.isSplat() ? 0 : stride));
    copyIndexed(builder.at(begin * strides[op.getAxis()]), strides, view.at(0), tables, builder.getElementBytes());
    begin += view.getShape()[op.getAxis()];
  }
  return std::move(builder).take();
}

/// Where index `i` of a padded axis comes from; outside of the operand only in constant mode.
int64_t sourceOf(PadMode mode, int64_t i, int64_t extent) {
  switch (mode) {
  case PadMode::Constant:
    return i;
  case PadMode::Edge:
    return std::clamp<int64_t>(i, 0, extent - 1);
  case PadMode::Wrap:
    return (i + extent) % extent;
  case PadMode::Reflect:
    return i < 0 ? -i : i >= extent ? 2 * (extent - 1) - i : i;
  }
  llvm_unreachable("all modes are above");
}

ElementsAttr evaluatePad(PadOp op, Views views) {
  RankedTensorType type = op.getType();
  ConstantBuilder builder(type);
  if (op.getMode() == PadMode::Constant) {
    if (auto value = dyn_cast<FloatAttr>(op.getValue()))
      builder.write(0, SmallVector<double, 0>(type.getNumElements(), value.getValueAsDouble()));
    else
      builder.write(0, SmallVector<int64_t, 0>(type.getNumElements(),
                                               cast<IntegerAttr>(op.getValue()).getValue().getSExtValue()));
  }
  // In constant mode only the cells that come from the operand are copied, from `begin` of the result on.
  SmallVector<int64_t> strides = rowMajorStrides(type.getShape()), own = rowMajorStrides(views[0].getShape());
  OffsetTables tables;
  int64_t begin = 0;
  for (auto [axis, extent, low] : llvm::enumerate(views[0].getShape(), op.getLow())) {
    tables.push_back({});
    for (int64_t i = 0; i < type.getDimSize(axis); ++i) {
      int64_t from = sourceOf(op.getMode(), i - low, extent);
      if (from >= 0 && from < extent)
        tables.back().push_back(views[0].isSplat() ? 0 : from * own[axis]);
      else if (tables.back().empty())
        begin += strides[axis];
    }
  }
  if (llvm::none_of(tables, [](const auto &table) { return table.empty(); }))
    copyIndexed(builder.at(begin), strides, views[0].at(0), tables, builder.getElementBytes());
  return std::move(builder).take();
}

int64_t countMultiplications(MatMulOp op) {
  return op.getType().getNumElements() * op.getLhs().getType().getShape().back();
}

} // namespace

//===----------------------------------------------------------------------===//
// 5. Dispatch
//===----------------------------------------------------------------------===//

bool canEvaluate(Operation *op) {
  if (auto product = dyn_cast<MatMulOp>(op))
    return countMultiplications(product) <= maxMultiplications;
  return isa<UnaryOp, BinaryOp, SelectOp, CastOp, ReduceOp, ArgReduceOp, SoftmaxOp, ReshapeOp, BroadcastOp, TransposeOp,
             ConcatOp, SliceOp, PadOp, GatherOp>(op);
}

FailureOr<ElementsAttr> evaluate(Operation *op, ArrayRef<ElementsAttr> operands) {
  if (!canEvaluate(op))
    return failure();
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return reshapeConstant(operands.front(), reshape.getType());
  SmallVector<ConstantView> views;
  for (ElementsAttr operand : operands) {
    FailureOr<ConstantView> view = ConstantView::get(operand);
    if (failed(view))
      return failure();
    views.push_back(std::move(*view));
  }
  if (cast<RankedTensorType>(op->getResult(0).getType()).getNumElements() == 0)
    return ConstantBuilder(cast<RankedTensorType>(op->getResult(0).getType())).take();

  ElementsAttr value = TypeSwitch<Operation *, ElementsAttr>(op)
                           .Case([&](UnaryOp op) { return evaluateUnary(op, views); })
                           .Case([&](BinaryOp op) { return evaluateBinary(op, views); })
                           .Case([&](SelectOp op) { return evaluateSelect(op, views); })
                           .Case([&](CastOp op) { return evaluateCast(op, views); })
                           .Case([&](MatMulOp op) {
                             return isFloat(views[0].getElementType()) ? evaluateMatMul<double>(op, views)
                                                                       : evaluateMatMul<int64_t>(op, views);
                           })
                           .Case([&](ReduceOp op) {
                             Type element = views[0].getElementType();
                             if (isFloat(element))
                               return evaluateReduce<double, double>(op, views);
                             return element.isUnsignedInteger() ? evaluateReduce<uint64_t, int64_t>(op, views)
                                                                : evaluateReduce<int64_t, int64_t>(op, views);
                           })
                           .Case([&](ArgReduceOp op) { return evaluateArgReduce(op, views); })
                           .Case([&](SoftmaxOp op) { return evaluateSoftmax(op, views); })
                           .Case([&](BroadcastOp op) { return evaluateBroadcast(op, views); })
                           .Case([&](TransposeOp op) { return evaluateTranspose(op, views); })
                           .Case([&](ConcatOp op) { return evaluateConcat(op, views); })
                           .Case([&](SliceOp op) { return evaluateSlice(op, views); })
                           .Case([&](PadOp op) { return evaluatePad(op, views); })
                           .Case([&](GatherOp op) { return evaluateGather(op, views); });
  return value;
}

} // namespace nacre::nn
