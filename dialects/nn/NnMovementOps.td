// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` that move, pick and repeat elements.

#ifndef NACRE_DIALECTS_NN_NNMOVEMENTOPS
#define NACRE_DIALECTS_NN_NNMOVEMENTOPS

include "dialects/nn/NnOpBase.td"

def Nn_ReshapeOp : Nn_TypedOp<"reshape", [Nn_Boundary, Nn_SameWidth, Nn_MovesAxes, Nn_PassesCounts]> {
  let summary = "The same elements in row-major order under another shape";
  let description = [{
    Example:

    ```mlir
    %y = nn.reshape %x : tensor<1x4x4x16xf32> to tensor<1x256xf32>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Nn_AnyTensor:$operand);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let extraClassDeclaration = [{std::optional<OpLayouts> transferLayout(::mlir::Value value, Dims layout);}];
}

def Nn_BroadcastOp : Nn_TypedOp<"broadcast", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Repeats axes of size one, as NumPy's broadcast_to";
  let description = [{
    Example:

    ```mlir
    %y = nn.broadcast %x : tensor<1x16xf32> to tensor<4x16xf32>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Nn_AnyTensor:$operand);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_TransposeOp : Nn_Op<"transpose", [Nn_Permute, Nn_SameWidth, Nn_StatesAxes, Nn_Evaluated]> {
  let summary = "Reorders axes: result axis i is operand axis permutation[i]";
  let description = [{
    Example:

    ```mlir
    %y = nn.transpose %x [0, 3, 1, 2] : tensor<1x8x6x3xf32>     // tensor<1x3x8x6xf32>
    ```
  }];
  let arguments = (ins Nn_AnyTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand $permutation attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Nn_ConcatOp : Nn_Op<"concat", [Nn_Boundary, Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "Joins tensors along an axis";
  let description = [{
    Example:

    ```mlir
    %y = nn.concat %a, %b {axis = 1} : tensor<2x3xf32>, tensor<2x5xf32>     // tensor<2x8xf32>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Variadic<Nn_AnyTensor>:$operands, I64Attr:$axis);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
  let hasFolder = 1;
  let extraClassDeclaration = [{Axes getIterationAxes();}];
}

def Nn_InterleaveOp : Nn_Op<"interleave", [Nn_Boundary, Nn_SameWidth, Nn_StatesAxes]> {
  let summary = "Interleaves tensors with strides along every axis";
  let description = [{
    There is one operand per index into an array of shape `strides`, in row-major order; the operand of index `a` holds the
    result's elements `a + k * strides`. If a stride does not divide the result, the first operands have one more element.

    Example:

    ```mlir
    %y = nn.interleave %even, %odd {strides = array<i64: 1, 2>} : tensor<4x3xf32>, tensor<4x3xf32>     // tensor<4x6xf32>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Variadic<Nn_Tensor>:$operands, DenseI64ArrayAttr:$strides);
  let assemblyFormat = "$operands attr-dict `:` type($operands)";
}

def Nn_SliceOp : Nn_Op<"slice", [Nn_SameWidth, Nn_KeepsAxes, Nn_Evaluated]> {
  let summary = "Elements starts[i] + k * steps[i], k < sizes[i], of every axis";
  let description = [{
    Starts are non-negative, and all elements are inside; steps are non-zero and may be negative.

    Example:

    ```mlir
    %y = nn.slice %x [0, 7] [2, 4] [1, -2] : tensor<2x8xf32>     // columns 7, 5, 3, 1
    ```
  }];
  let arguments = (ins Nn_AnyTensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand $starts $sizes $steps attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    void moveAttributes(const OpLayouts &layouts);
    Axes getIterationAxes();
  }];
}

def Nn_PadOp : Nn_Op<"pad", [Nn_SameWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "Adds elements before and after every axis; negative amounts crop";
  let description = [{
    `value` is a scalar of the element type, used only in `constant` mode. `edge` repeats the outermost elements; `wrap` continues at
    the other end. `reflect` mirrors without repeating the outermost element; `symmetric` mirrors and repeats it.

    Example:

    ```mlir
    %y = nn.pad constant %x [0, 1] [0, 2] 0.0 : f32 : tensor<2x3xf32>     // tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Nn_PadMode:$mode, Nn_AnyTensor:$operand, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, TypedAttrInterface:$value);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$mode $operand $low $high $value attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    void moveAttributes(const OpLayouts &layouts);
    Axes getIterationAxes();
  }];
}

def Nn_GatherOp : Nn_Op<"gather", [Nn_Indexed, Nn_SameWidth, Nn_MovesAxes, Nn_Evaluated]> {
  let summary = "Selects slices along an axis by an index tensor, which replaces the axis";
  let description = [{
    Negative indices count from the end; an index out of range is clamped, so that no other memory is read.

    Example:

    ```mlir
    %y = nn.gather %table, %ids {axis = 0} : tensor<100x16xf32>, tensor<2x5xi64>     // tensor<2x5x16xf32>
    ```
  }];
  let arguments = (ins Nn_AnyTensor:$operand, Nn_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand `,` $indices attr-dict `:` type($operand) `,` type($indices)";
  let extraClassDeclaration = [{std::optional<OpLayouts> transferLayout(::mlir::Value value, Dims layout);}];
}

def Nn_ResampleOp : Nn_Op<"resample", [Nn_Indexed, Nn_FreeWidth, Nn_KeepsAxes, Nn_EvaluatedInFull]> {
  let summary = "Weighted sums of elements along axes, defined by tables";
  let description = [{
    Axis `axes[i]` gets the number of rows of the tables `indices[i]` (i32) and `weights[i]` (f32). Both are
    `[positions, taps]`; an element is the sum over the taps of its row, each a weight times the operand's element at an index.
    For several axes, taps multiply; an element reads at most 64. One tap with all weights 1 moves elements of any type;
    otherwise, elements are floats. The tables express nearest, linear, cubic, area and antialiased resampling.

    Example:

    ```mlir
    %y = nn.resample %x {axes = array<i64: 1>, indices = [dense<[[0, 0], [0, 1], [1, 1]]> : tensor<3x2xi32>],
        weights = [dense<0.5> : tensor<3x2xf32>]} : tensor<1x2x4xf32>     // tensor<1x3x4xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, DenseI64ArrayAttr:$axes,
                       TypedArrayAttrBase<I32ElementsAttr, "tables of indices">:$indices,
                       TypedArrayAttrBase<FloatElementsAttr<32>, "tables of weights">:$weights);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The most elements that one is made of.
    static constexpr int64_t maxReads = 64;
    /// Returns whether elements along axis `axes[index]` are only moved.
    bool isMove(size_t index);
    int64_t countReducedElements();
    bool keepsSplats();
    void moveAttributes(const OpLayouts &layouts);
    Axes getIterationAxes();
  }];
}

def Nn_SampleOp : Nn_Op<"sample", [Nn_Indexed, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "Pixels of images at computed positions";
  let description = [{
    `input` is `[N, spatial..., C]`, `positions` are `[R, points..., S]` for its S spatial axes, in their order, counted in
    elements: 0 is the middle of the first. The result is `[R, points..., C]`; row r reads image `images[r]`, clamped, or
    image r without that operand. `nearest` rounds halves to even, `linear` interpolates the two neighbours along every
    axis, `cubic` (one or two axes) four neighbours by Keys' function with a = -0.75. A neighbour outside of the image
    is 0 (`zeros`), the nearest one inside (`border`), or its mirror image (`reflection`): at the outer edge of the first
    and last element, or, with `align_corners`, at their middles. Except for `nearest`, elements are floats.

    Example:

    ```mlir
    %y = nn.sample linear zeros %x, %positions {align_corners} : tensor<1x8x8x3xf32>, tensor<1x4x4x2xf32>     // tensor<1x4x4x3xf32>
    ```
  }];
  let arguments = (ins Nn_Interpolation:$interpolation, Nn_SamplePadding:$padding, Nn_Tensor:$input,
                       Nn_FloatTensor:$positions, Optional<Nn_IndexTensor>:$images, UnitAttr:$align_corners);
  let assemblyFormat = [{
    $interpolation $padding $input `,` $positions (`images` `(` $images^ `:` type($images) `)`)? attr-dict
    `:` type($input) `,` type($positions)
  }];
  let extraClassDeclaration = [{bool readsWide(unsigned operand);}];
}

#endif // NACRE_DIALECTS_NN_NNMOVEMENTOPS
