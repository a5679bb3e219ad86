// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` that read and write elements at the positions of an index tensor, and those that run along an
// axis.
//
// A negative index counts from the end. If an index is out of range, reading takes the nearest element, and writing
// omits the update. So no operator touches memory outside an operand.

#ifndef NACRE_DIALECTS_NN_NNSCATTEROPS
#define NACRE_DIALECTS_NN_NNSCATTEROPS

include "dialects/nn/NnOpBase.td"

def Nn_CumulateOp : Nn_Op<"cumulate", [Nn_Serial, Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull, Nn_PassesCounts]> {
  let summary = "Sums or products of the elements up to each, along an axis";
  let description = [{
    The order is fixed, so that bits do not depend on the distribution of work. `exclusive` omits each element itself;
    `reverse` begins at the end. Integers wrap; f16 and bf16 are summed in f32.

    Example:

    ```mlir
    %y = nn.cumulate sum %x {axis = 1, exclusive} : tensor<1x4xf32>     // 1, 2, 3, 4: 0, 1, 3, 6
    ```
  }];
  let arguments = (ins Nn_CumulateKind:$kind, Nn_Tensor:$operand, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let extraClassDeclaration = [{Axes getIterationAxes();}];
}

def Nn_GatherNdOp : Nn_Op<"gather_nd", [Nn_Indexed, Nn_SameWidth, Nn_StatesAxes, Nn_EvaluatedInFull]> {
  let summary = "Slices of a tensor picked by coordinates";
  let description = [{
    The last axis of `indices` holds coordinates for the operand's axes that follow the first `batch_dims` axes, which both
    share. The result has the indices' axes except the last, then the operand's axes without a coordinate.

    Example:

    ```mlir
    %y = nn.gather_nd %x, %at {batch_dims = 0} : tensor<4x5x6xf32>, tensor<3x2xi64>     // tensor<3x6xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_IndexTensor:$indices, I64Attr:$batch_dims);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` type($operand) `,` type($indices)";
}

def Nn_GatherElementsOp : Nn_Op<"gather_elements", [Nn_Indexed, Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull, Nn_PassesCounts]> {
  let summary = "Elements of a tensor, each with a separate index along one axis";
  let description = [{
    `result[.., i, ..] = operand[.., indices[.., i, ..], ..]`. Along other axes the indices may be shorter than the operand.

    Example:

    ```mlir
    %y = nn.gather_elements %x, %at {axis = 1} : tensor<2x8xf32>, tensor<2x3xi64>     // tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_IndexTensor:$indices, I64Attr:$axis);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` type($operand) `,` type($indices)";
  let extraClassDeclaration = [{Axes getIterationAxes();}];
}

def Nn_ScatterNdOp : Nn_Op<"scatter_nd", [Nn_Serial, Nn_SameWidth, Nn_StatesAxes, Nn_EvaluatedInFull]> {
  let summary = "A tensor with updated slices, selected by coordinates";
  let description = [{
    The last axis of `indices` holds a coordinate for each of the operand's first axes. `updates` has the indices' axes except
    the last, then the operand's axes without a coordinate. Updates of the same element are applied in order: `set` keeps the
    last one. `max` and `min` propagate NaN.

    Example:

    ```mlir
    %y = nn.scatter_nd add %x, %at, %updates : tensor<4x5x6xf32>, tensor<3x2xi64>, tensor<3x6xf32>
    ```
  }];
  let arguments = (ins Nn_ScatterKind:$kind, Nn_Tensor:$operand, Nn_IndexTensor:$indices, Nn_Tensor:$updates);
  let assemblyFormat = "$kind $operand `,` $indices `,` $updates attr-dict `:` type($operand) `,` type($indices) `,` type($updates)";
  let extraClassDeclaration = [{int64_t countReducedElements();}];
}

def Nn_ScatterElementsOp : Nn_Op<"scatter_elements", [Nn_Serial, Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "A tensor with updated elements, each with a separate index along one axis";
  let description = [{
    `result[.., indices[.., i, ..], ..]` is changed by `updates[.., i, ..]`, as in `scatter_nd`. Along other axes the
    updates may be shorter than the operand.

    Example:

    ```mlir
    %y = nn.scatter_elements set %x, %at, %updates {axis = 1} : tensor<2x8xf32>, tensor<2x3xi64>, tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Nn_ScatterKind:$kind, Nn_Tensor:$operand, Nn_IndexTensor:$indices, Nn_Tensor:$updates, I64Attr:$axis);
  let assemblyFormat = "$kind $operand `,` $indices `,` $updates attr-dict `:` type($operand) `,` type($indices) `,` type($updates)";
  let extraClassDeclaration = [{
    Axes getIterationAxes();
    int64_t countReducedElements();
  }];
}

#endif // NACRE_DIALECTS_NN_NNSCATTEROPS
