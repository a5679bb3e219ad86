// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  what the rules for result types share. A rule is `infer(location, adaptor, types)`; NN_INFER makes it MLIR's.
// How:   1. operands and attributes are there and well-formed, which a parser of text does not yet know here,
//        2. the rule: element types obey the operator, the shape comes from ShapeRules.h.

#ifndef NACRE_DIALECTS_NN_INFERTYPES_H
#define NACRE_DIALECTS_NN_INFERTYPES_H

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::nn {

using Types = llvm::SmallVectorImpl<mlir::Type>;
using MaybeLocation = std::optional<mlir::Location>;

inline bool isFloat(mlir::Type type) { return llvm::isa<mlir::FloatType>(type); }
inline bool isBool(mlir::Type type) { return type.isSignlessInteger(1); }

/// Ends an inference: the one result has `shape`, or the rule's reason becomes the error.
mlir::LogicalResult finish(MaybeLocation location, llvm::Expected<Shape> shape, mlir::Type element, Types &types);

/// Ends an inference with the rule's reason.
mlir::LogicalResult rejected(MaybeLocation location, llvm::Error error);

/// Whether a table of `nn.resample` moves elements as they are.
bool isTableOfMoves(mlir::DenseElementsAttr weights);

/// Operands are tensors of static shape, and attributes as the operator declares them.
template <typename Adaptor>
mlir::LogicalResult checkWellFormed(mlir::Location location, mlir::ValueRange operands, Adaptor adaptor) {
  for (mlir::Value operand : operands) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return emitError(location, "operands must be tensors of static shape, but one is ") << operand.getType();
  }
  return adaptor.verify(location);
}

/// The properties of an operator to be made. A parser of text hands attributes over as a dictionary still, without those
/// that have defaults.
template <typename OpT>
mlir::FailureOr<typename OpT::Properties> propertiesOf(mlir::Location location, mlir::DictionaryAttr attributes,
                                                       mlir::OpaqueProperties given) {
  typename OpT::Properties properties;
  if (given)
    properties = *given.as<typename OpT::Properties *>();
  if (attributes && failed(OpT::setPropertiesFromAttr(properties, attributes, [&] { return emitError(location); })))
    return mlir::failure();
  OpT::populateDefaultProperties(mlir::OperationName(OpT::getOperationName(), location.getContext()), properties);
  return properties;
}

} // namespace nacre::nn

/// What MLIR calls: an operator that is not well-formed never reaches its rule, which is declared before.
#define NN_INFER(OP)                                                                                                   \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> location, ValueRange operands,      \
                                     DictionaryAttr attributes, OpaqueProperties given, RegionRange regions,           \
                                     SmallVectorImpl<Type> &types) {                                                   \
    Location where = location.value_or(UnknownLoc::get(context));                                                      \
    FailureOr<Properties> properties = propertiesOf<OP>(where, attributes, given);                                     \
    if (failed(properties))                                                                                            \
      return failure();                                                                                                \
    Adaptor op(operands, attributes, *properties, regions);                                                            \
    if (failed(checkWellFormed(where, operands, op)))                                                                  \
      return failure();                                                                                                \
    return infer(location, op, types);                                                                                 \
  }

#endif // NACRE_DIALECTS_NN_INFERTYPES_H
