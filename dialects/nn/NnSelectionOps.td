// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` that sort, select and compact. How many elements there are is in the data: results are as large
// as they can become, and a count says how many of them are there (Counts.h).

#ifndef NACRE_DIALECTS_NN_NNSELECTIONOPS
#define NACRE_DIALECTS_NN_NNSELECTIONOPS

include "dialects/nn/NnOpBase.td"

// A selection of several results, whose types follow from the operands and attributes.
class Nn_SelectionOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic,
         !listconcat(traits, [Nn_OperatorInterface, Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>])>,
      Nn_Rows;

def Nn_TopKOp : Nn_SelectionOp<"top_k", [Nn_Serial, Nn_SameWidth, Nn_StatesAxes]> {
  let summary = "The `k` largest, or smallest, elements along an axis, in that order, and their indices (i64)";
  let description = [{
    Equal elements are ordered by index. NaN counts as larger than any other number, and equals itself.

    Example:

    ```mlir
    %values, %indices = nn.top_k %scores {axis = 1, k = 5} : tensor<1x100xf32>     // tensor<1x5xf32>, tensor<1x5xi64>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, I64Attr:$axis, I64Attr:$k, UnitAttr:$smallest);
  let results = (outs Nn_Tensor:$values, Nn_IndexTensor:$indices);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_CompactOp : Nn_Op<"compact", [Nn_Serial, Nn_SameWidth, Nn_StatesAxes, Nn_EvaluatedInFull]> {
  let summary = "The indices (i64) of the elements that are true, in order";
  let description = [{
    The mask has one axis, and the result has the same size: after the indices, elements are the length of the mask. The sum
    of the mask is the number of indices.

    Example:

    ```mlir
    %indices = nn.compact %mask : tensor<4xi1>     // true, false, true, false: 0, 2, 4, 4
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Nn_BoolTensor:$mask);
  let assemblyFormat = "$mask attr-dict `:` type($mask)";
}

def Nn_UniqueOp : Nn_SelectionOp<"unique", [Nn_Serial, Nn_SameWidth, Nn_StatesAxes]> {
  let summary = "The different rows of a matrix";
  let description = [{
    `first`: the index of the first row of each kind; after the last kind, the number of rows. `inverse`: the kind of each
    row. `counts`: the number of rows of each kind; 0 after the last kind. The number of non-zero counts is the number of
    kinds. Kinds are sorted by their rows, the first column first; without `sorted` they are in the order of their first
    rows. NaN equals itself, and is larger than any other number.

    Example:

    ```mlir
    %first, %inverse, %counts = nn.unique %rows {sorted} : tensor<6x2xf32>
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Nn_Tensor:$rows, UnitAttr:$sorted);
  let results = (outs Nn_IndexTensor:$first, Nn_IndexTensor:$inverse, Nn_IndexTensor:$counts);
  let assemblyFormat = "$rows attr-dict `:` type($rows)";
}

def Nn_NmsOp : Nn_SelectionOp<"nms", [Nn_Serial, Nn_SameWidth, Nn_StatesAxes]> {
  let summary = "Non-maximum suppression: boxes of high score without large overlaps, per image and class";
  let description = [{
    `boxes` is `[B, N, 4]`, `scores` `[B, C, N]`; a box is two opposite corners, in any order, or with `centered` the center
    and the extents. Candidates score more than `score_threshold`; without it, all boxes whose score is not NaN are
    candidates. They are selected by descending score (equal scores by index), unless the intersection with an already selected box exceeds
    `iou_threshold` of their union. `selected` `[B, C, limit]` has the indices of at most `most` and `limit` boxes in that
    order, followed by 0; `counts` `[B, C, 1]` is their number.

    Example:

    ```mlir
    %selected, %counts = nn.nms %boxes, %scores, %most, %iou above(%least : tensor<f32>) {limit = 3}
        : tensor<1x100x4xf32>, tensor<1x2x100xf32>, tensor<i64>, tensor<f32>     // tensor<1x2x3xi64>, tensor<1x2x1xi64>
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Nn_FloatTensor:$boxes, Nn_FloatTensor:$scores, Nn_IndexTensor:$most, Nn_FloatTensor:$iou_threshold,
                       Optional<Nn_FloatTensor>:$score_threshold, I64Attr:$limit, UnitAttr:$centered);
  let results = (outs Nn_IndexTensor:$selected, Nn_IndexTensor:$counts);
  let assemblyFormat = [{
    $boxes `,` $scores `,` $most `,` $iou_threshold (`above` `(` $score_threshold^ `:` type($score_threshold) `)`)? attr-dict
    `:` type($boxes) `,` type($scores) `,` type($most) `,` type($iou_threshold)
  }];
}

#endif // NACRE_DIALECTS_NN_NNSELECTIONOPS
