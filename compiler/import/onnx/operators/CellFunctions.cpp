// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of recurrent cells: they are ONNX's operators of the same names, with the defaults of these operators.

#include "compiler/import/onnx/operators/CellFunctions.h"

#include "compiler/import/compositions/Elementary.h"

using namespace mlir;

namespace nacre::importer::onnx_format {

using nn::UnaryKind;

struct CellFunctionKind {
  StringLiteral name;
  std::optional<UnaryKind> unary;    ///< kind of the function in nn.recurrent, if it exists there
  std::optional<double> alpha, beta; ///< defaults of the parameters that the function has
  Value (*apply)(NnBuilder &nn, Value x, double alpha, double beta);
};

namespace {

template <UnaryKind kind> Value applyUnary(NnBuilder &nn, Value x, double alpha, double /*beta*/) {
  return nn.unary(kind, x, alpha);
}

Value applyAffine(NnBuilder &nn, Value x, double alpha, double beta) { return nn.add(nn.mul(x, alpha), beta); }

Value applyScaledTanh(NnBuilder &nn, Value x, double alpha, double beta) {
  return nn.mul(nn.unary(UnaryKind::Tanh, nn.mul(x, beta)), alpha);
}

Value applySoftsign(NnBuilder &nn, Value x, double /*alpha*/, double /*beta*/) { return softsign(nn, x); }

Value applyThresholdedRelu(NnBuilder &nn, Value x, double alpha, double /*beta*/) {
  return nn.select(nn.binary(nn::BinaryKind::Greater, x, alpha), x, nn.scalar(x, 0));
}

const CellFunctionKind kinds[] = {
    {"Affine", {}, 1, 0, applyAffine},
    {"Elu", {}, 1, {}, applyUnary<UnaryKind::Elu>},
    {"HardSigmoid", {}, 0.2, 0.5, hardSigmoid},
    {"LeakyRelu", {}, 0.01, {}, applyUnary<UnaryKind::LeakyRelu>},
    {"Relu", UnaryKind::Relu, {}, {}, applyUnary<UnaryKind::Relu>},
    {"ScaledTanh", {}, 1, 1, applyScaledTanh},
    {"Sigmoid", UnaryKind::Sigmoid, {}, {}, applyUnary<UnaryKind::Sigmoid>},
    {"Softplus", UnaryKind::Softplus, {}, {}, applyUnary<UnaryKind::Softplus>},
    {"Softsign", {}, {}, {}, applySoftsign},
    {"Tanh", UnaryKind::Tanh, {}, {}, applyUnary<UnaryKind::Tanh>},
    {"ThresholdedRelu", {}, 1, {}, applyThresholdedRelu},
};

/// Values of an attribute, which functions take in order.
class Parameters {
public:
  Parameters(OperandBinder &node, StringRef name) : name(name), values(node.getFloats(name)) {}

  /// Returns the next value for a parameter whose default is `missing`. Returns 0 for a function without this
  /// parameter.
  double take(std::optional<double> missing) {
    if (!missing)
      return 0;
    return next < values.size() ? values[next++] : *missing;
  }

  /// Warns of values that no function took, because the author of the node may have meant them for other functions.
  void warnOfRest(Location loc) const {
    if (next < values.size())
      emitWarning(loc) << "attribute '" << name << "' has " << describeCount(values.size(), "value")
                       << ", but its functions only take " << next << "; the others are ignored";
  }

private:
  StringRef name;
  SmallVector<double> values;
  size_t next = 0;
};

const CellFunctionKind *findKind(StringRef name) {
  const auto *found =
      llvm::find_if(kinds, [&](const CellFunctionKind &kind) { return kind.name.equals_insensitive(name); });
  return found == std::end(kinds) ? nullptr : found;
}

void reportUnknown(OperandBinder &node, StringRef name) {
  InFlightDiagnostic error = node.error() << "attribute 'activations' must name ";
  llvm::interleaveComma(kinds, error, [&](const CellFunctionKind &kind) { error << kind.name; });
  error << ", but names '" << name << "'";
}

} // namespace

std::optional<UnaryKind> CellFunction::getUnary() const { return kind->unary; }

Value CellFunction::apply(NnBuilder &nn, Value x) const { return kind->apply(nn, x, alpha, beta); }

FailureOr<SmallVector<CellFunction>> readCellFunctions(OperandBinder &node, ArrayRef<StringRef> defaults,
                                                       int64_t directions) {
  SmallVector<StringRef> names = node.getStrings("activations");
  if (names.empty())
    for (int64_t direction = 0; direction < directions; ++direction)
      names.append(defaults.begin(), defaults.end());
  Parameters alphas(node, "activation_alpha"), betas(node, "activation_beta");
  SmallVector<CellFunction> result;
  for (StringRef name : names) {
    const CellFunctionKind *kind = findKind(name);
    if (!kind) {
      reportUnknown(node, name);
      return failure();
    }
    result.push_back({kind, alphas.take(kind->alpha), betas.take(kind->beta)});
  }
  const size_t wanted = defaults.size() * directions;
  if (result.size() != wanted)
    return node.error() << "attribute 'activations' must have " << describeCount(wanted, "element") << ", but has "
                        << result.size();
  alphas.warnOfRest(node.nn.getLoc());
  betas.warnOfRest(node.nn.getLoc());
  return result;
}

} // namespace nacre::importer::onnx_format
