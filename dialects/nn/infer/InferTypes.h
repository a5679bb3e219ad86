// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What:  shared parts of the rules that infer result types. A rule is a function `infer(location, adaptor, types)`,
//        which NN_INFER makes the function that MLIR calls.
// How:   1. check that operands and attributes exist and are well-formed, because MLIR's parser has not checked this
//           yet;
//        2. apply the rule. The operator decides the element type, ShapeRules.h the shape.

#ifndef NACRE_DIALECTS_NN_INFER_INFERTYPES_H
#define NACRE_DIALECTS_NN_INFER_INFERTYPES_H

#include "dialects/TensorTypes.h"
#include "dialects/nn/NnDialect.h"
#include "dialects/nn/shapes/ShapeRules.h"

namespace nacre::nn {

using Types = llvm::SmallVectorImpl<mlir::Type>;
using MaybeLocation = std::optional<mlir::Location>;

inline bool isFloat(mlir::Type type) { return llvm::isa<mlir::FloatType>(type); }
inline bool isBool(mlir::Type type) { return type.isSignlessInteger(1); }

/// Finishes an inference: adds a result of `shape`, or reports the error in `shape`.
mlir::LogicalResult finish(MaybeLocation location, llvm::Expected<Shape> shape, mlir::Type element, Types &types);

/// Finishes an inference by reporting `error`.
mlir::LogicalResult rejected(MaybeLocation location, llvm::Error error);

/// Reports an error unless all operands are tensors of static shape and the attributes match the operator's definition.
template <typename Adaptor>
mlir::LogicalResult checkWellFormed(mlir::Location location, mlir::ValueRange operands, Adaptor adaptor) {
  for (mlir::Value operand : operands) {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(operand.getType());
    if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return emitError(location, "operands must be tensors of static shape, but one is ") << operand.getType();
  }
  return adaptor.verify(location);
}

/// Returns the properties of an operator that is being created. MLIR's parser still passes attributes as a dictionary,
/// which lacks attributes with their default value.
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

/// Defines the function that MLIR calls for an operator. The rule must be declared before. It only gets well-formed
/// operators.
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

#endif // NACRE_DIALECTS_NN_INFER_INFERTYPES_H
