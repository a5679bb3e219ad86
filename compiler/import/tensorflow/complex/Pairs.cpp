// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers that create complex numbers, split them into their parts, and compute with them.

#include "compiler/import/tensorflow/complex/Pairs.h"

#include "compiler/import/compositions/Elementary.h"
#include "compiler/import/messages/ComplexValues.h"
#include "compiler/import/tensorflow/complex/Handlers.h"

#include <limits>

using namespace mlir;

namespace nacre::importer::tensorflow_format {

FailureOr<ComplexPair> getPair(OperandBinder &node, size_t index) {
  std::optional<ValueRange> parts = getList(node.getOperand(index));
  // The operand may also be another list, with integers or with tensors of different shapes.
  bool isPair = parts && parts->size() == 2 && llvm::all_of(*parts, isTensor) &&
                (*parts)[0].getType() == (*parts)[1].getType() && isFloat((*parts)[0]);
  if (!isPair)
    return node.error() << node.nameOf(index) << " must hold complex numbers, but is "
                        << describe(node.getOperand(index));
  return ComplexPair{(*parts)[0], (*parts)[1]};
}

void setPair(OperandBinder &node, ComplexPair pair) {
  Value list = node.nn.list({pair.real, pair.imaginary});
  markComplex(list);
  node.setResult(list);
}

namespace {

/// Imports Complex. The attribute Tout is redundant, because the operands have the type of the parts.
void importComplex(OperandBinder &node) {
  node.ignore({"Tout"});
  FailureOr<SmallVector<int64_t>> shape = node.broadcastOperands();
  if (succeeded(shape))
    setPair(node, {node.nn.broadcast(node.getOperand(0), *shape), node.nn.broadcast(node.getOperand(1), *shape)});
}

/// Returns |x|, computed as the larger part times sqrt(1 + ratio^2), because the squares of the parts may overflow.
Value importMagnitude(NnBuilder &nn, ComplexPair x) {
  Value real = nn.unary(nn::UnaryKind::Abs, x.real), imaginary = nn.unary(nn::UnaryKind::Abs, x.imaginary);
  Value most = nn.binary(nn::BinaryKind::Max, real, imaginary), least = nn.binary(nn::BinaryKind::Min, real, imaginary);
  Value root = nn.unary(nn::UnaryKind::Sqrt, nn.add(square(nn, nn.div(least, most)), 1));
  Value hasRatio = nn.binary(nn::BinaryKind::And, nn.binary(nn::BinaryKind::Greater, most, 0.0),
                             nn.binary(nn::BinaryKind::Less, most, std::numeric_limits<double>::infinity()));
  return nn.select(hasRatio, nn.mul(most, root), most);
}

using FromPair = Value (*)(NnBuilder &, ComplexPair);

struct PartRow {
  const char *op;
  FromPair compute;
};

constexpr PartRow partRows[] = {
    {"Real", [](NnBuilder &, ComplexPair x) { return x.real; }},
    {"Imag", [](NnBuilder &, ComplexPair x) { return x.imaginary; }},
    {"ComplexAbs", importMagnitude},
    {"Angle", [](NnBuilder &nn, ComplexPair x) { return arcTangent(nn, x.imaginary, x.real); }},
};

void importConj(OperandBinder &node) {
  FailureOr<ComplexPair> x = getPair(node, 0);
  if (succeeded(x))
    setPair(node, {x->real, node.nn.unary(nn::UnaryKind::Neg, x->imaginary)});
}

/// Returns zeros in the shape of `x`, whose sizes may be known only at run time.
Value zerosLike(NnBuilder &nn, Value x) {
  Value zeros = nn.splat(getType(x), 0);
  for (auto [axis, count] : llvm::enumerate(nn.getCounts(x)))
    if (count)
      zeros = nn.limit(zeros, static_cast<int64_t>(axis), count);
  return zeros;
}

/// Converts between real types, and from or to complex numbers. A real number has the imaginary part 0; conversion to a
/// real type drops the imaginary part.
void importCast(OperandBinder &node) {
  NnBuilder &nn = node.nn;
  node.ignore({"Truncate"}); // results differ only in the last digit of the narrower float
  Value x = node.getOperand(0);
  Type type = node.getType("DstT", nullptr);
  if (!type) {
    if (!node.hasFailed())
      node.error() << "attribute 'DstT' is required, but is missing";
    return;
  }
  if (!isTensor(x) && !isComplex(x)) {
    node.error() << node.nameOf(0) << " must be a tensor, but is " << describe(x);
    return;
  }
  auto complex = dyn_cast<ComplexType>(type);
  Type part = complex ? complex.getElementType() : type;
  if (isTensor(x)) {
    Value real = nn.cast(x, part);
    if (complex && real)
      setPair(node, {real, zerosLike(nn, real)});
    else
      node.setResult(real);
    return;
  }
  FailureOr<ComplexPair> pair = getPair(node, 0);
  if (failed(pair))
    return;
  if (complex)
    setPair(node, {nn.cast(pair->real, part), nn.cast(pair->imaginary, part)});
  else
    node.setResult(nn.cast(pair->real, part));
}

} // namespace

void registerComplex(ImportRegistry &registry) {
  registry.add("Complex", 1, {{"real", Holds::Floats, 'T'}, {"imag", Holds::Floats, 'T'}}, importComplex);
  for (const PartRow &row : partRows)
    registry.add(row.op, 1, {{"input", Holds::Sequence}}, [compute = row.compute](OperandBinder &node) {
      node.ignore({"Tout"});
      FailureOr<ComplexPair> x = getPair(node, 0);
      if (succeeded(x))
        node.setResult(compute(node.nn, *x));
    });
  registry.add("Cast", 1, {{"x", Holds::AnyValue}}, importCast);
  registry.add("Conj", 1, {{"input", Holds::Sequence}}, importConj);
}

} // namespace nacre::importer::tensorflow_format
