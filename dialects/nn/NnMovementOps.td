// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` that move, pick and repeat elements.

#ifndef NACRE_DIALECTS_NN_NNMOVEMENTOPS
#define NACRE_DIALECTS_NN_NNMOVEMENTOPS

include "dialects/nn/NnOpBase.td"

def Nn_ReshapeOp : Nn_TypedOp<"reshape", [Nn_Boundary, Nn_SameWidth, Nn_MovesAxes]> {
  let summary = "The same elements in row-major order under another shape";
  let arguments = (ins Nn_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_BroadcastOp : Nn_TypedOp<"broadcast", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Repeats axes of size one, as NumPy's broadcast_to";
  let arguments = (ins Nn_Tensor:$operand);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_TransposeOp : Nn_Op<"transpose", [Nn_Permute, Nn_SameWidth, Nn_Evaluated]> {
  let summary = "Reorders axes: result axis i is operand axis permutation[i]";
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Nn_ConcatOp : Nn_Op<"concat", [Nn_Boundary, Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "Joins tensors along an axis";
  let arguments = (ins Variadic<Nn_Tensor>:$operands, I64Attr:$axis);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
  let hasFolder = 1;
}

def Nn_InterleaveOp : Nn_Op<"interleave", [Nn_Boundary, Nn_SameWidth]> {
  let summary = "Puts tensors into one, each at every so manyth element of every axis";
  let description = [{
    There is an operand for every index into an array of shape `strides`, in row-major order; the one for index `a` holds the
    result's elements `a + k * strides`. Where a stride does not divide the result, the first operands have one element more.
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$operands, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
}

def Nn_SliceOp : Nn_Op<"slice", [Nn_SameWidth, Nn_KeepsAxes, Nn_Evaluated]> {
  let summary = "Elements starts[i] + k * steps[i], k < sizes[i], of every axis";
  let description = [{Starts are non-negative and all elements inside; steps are not zero, and may be negative.}];
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let assemblyFormat = "$operand $starts $sizes $steps attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    void moveAttributes(const OpLayouts &layouts);
  }];
}

def Nn_PadOp : Nn_Op<"pad", [Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "Adds elements before and after every axis; negative amounts crop";
  let description = [{`value` is a scalar of the element type, read in `constant` mode alone.}];
  let arguments = (ins Nn_PadMode:$mode, Nn_Tensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let assemblyFormat = "$mode $operand $low $high $value attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    void moveAttributes(const OpLayouts &layouts);
  }];
}

def Nn_GatherOp : Nn_Op<"gather", [Nn_Indexed, Nn_SameWidth, Nn_MovesAxes, Nn_Evaluated]> {
  let summary = "Slices of an axis picked by an index tensor, which replaces the axis";
  let description = [{Negative indices count from the end; an index out of range is clamped, so that it cannot read elsewhere.}];
  let arguments = (ins Nn_Tensor:$operand, Nn_IndexTensor:$indices, I64Attr:$axis);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` type($operand) `,` type($indices)";
}

def Nn_ResizeOp : Nn_TypedOp<"resize", [Nn_Indexed, Nn_FreeWidth, Nn_KeepsAxes]> {
  let summary = "Nearest or linear resampling of any axes (ONNX Resize)";
  let description = [{`scales` has one entry per axis, output / input as the model states it (the shape may be rounded).}];
  let arguments = (ins Nn_ResizeKind:$kind, Nn_Tensor:$operand, DenseF64ArrayAttr:$scales, Nn_Coordinates:$coordinates, Nn_Rounding:$rounding);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let extraClassDeclaration = [{void moveAttributes(const OpLayouts &layouts);}];
}

#endif // NACRE_DIALECTS_NN_NNMOVEMENTOPS
