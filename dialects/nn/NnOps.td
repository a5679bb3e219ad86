// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn`. Every operator infers its result types (InferTypes.cpp, from the pure rules in ShapeRules.h),
// so an importer never computes a shape; states its facts (NnInterfaces.td), so that no pass lists operators; and folds
// when all its operands are small constants, if it says how it is evaluated. What an operator gives for a number it gives
// on every machine, folded or compiled (ScalarFunctions.h), but for two freedoms: the sign of a zero, and floats too small
// to be normal, which may be taken, and left, as zeros.

#ifndef NACRE_DIALECTS_NN_NNOPS
#define NACRE_DIALECTS_NN_NNOPS

include "dialects/nn/NnContractionOps.td"
include "dialects/nn/NnControlOps.td"
include "dialects/nn/NnMovementOps.td"
include "dialects/nn/NnScatterOps.td"
include "dialects/nn/NnSelectionOps.td"

def Nn_ConstantOp : Nn_Op<"constant", [ConstantLike, Nn_Boundary, Nn_FreeWidth]> {
  let summary = "A tensor known when the model is compiled";
  let description = [{
    Weights of the model are `dense_resource` views of the mapped file; splats stay splats. Signed integers are signless.

    Example:

    ```mlir
    %filter = nn.constant dense<[[1.0, 0.5], [0.0, -1.0]]> : tensor<2x2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

def Nn_UnaryOp : Nn_Op<"unary", [Nn_Elementwise, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An elementwise function of one tensor";
  let description = [{
    `alpha` is the slope of `leaky_relu` (x < 0 ? alpha*x : x) and the scale of `elu`. `round` rounds halves to even,
    `gelu` is the exact form x/2 * (1 + erf(x/sqrt 2)), `is_nan` and `is_inf` give `i1`.

    Example:

    ```mlir
    %y = nn.unary leaky_relu %x {alpha = 0.1} : tensor<1x8xf32>
    ```
  }];
  let arguments = (ins Nn_UnaryKind:$kind, Nn_Tensor:$operand, DefaultValuedAttr<F64Attr, "0.0">:$alpha);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{Width getWidth();}];
  let extraClassDefinition =
    !foldl("const UnaryFacts &getFacts(UnaryKind kind) {\nstatic const UnaryFacts rows[] = {\n", Nn_UnaryFunctions, text,
           function, text # function.row) # "};\nreturn rows[unsigned(kind)];\n}";
}

def Nn_BinaryOp : Nn_Op<"binary", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An elementwise function of two tensors, broadcast as in NumPy";
  let description = [{
    Both operands have the same element type (`pow` excepted: the result has the base's). Comparisons give `i1`; `and`,
    `or`, `xor` are bitwise. Integers wrap. Integer `div` truncates; `mod` has the sign of the divisor, `fmod` of the dividend;
    by 0 all three give 0. A shift by the width or more, read as unsigned, leaves 0, and -1 of a negative number to the right.
    Integers to a negative power are 0 but for 1 and -1. `min` and `max` propagate NaN. A constant power of 1/2 or 3/4, or
    of their negatives, is a root, so of -inf NaN.

    Example:

    ```mlir
    %y = nn.binary add %x, %bias : tensor<1x8x8x16xf32>, tensor<16xf32>
    ```
  }];
  let arguments = (ins Nn_BinaryKind:$kind, Nn_Tensor:$lhs, Nn_Tensor:$rhs);
  let assemblyFormat = "$kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs)";
  let hasFolder = 1;
  let extraClassDefinition =
    !foldl("const BinaryFacts &getFacts(BinaryKind kind) {\nstatic const BinaryFacts rows[] = {\n", Nn_BinaryFunctions, text,
           function, text # function.row) # "};\nreturn rows[unsigned(kind)];\n}";
}

def Nn_SelectOp : Nn_Op<"select", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Elementwise choice, broadcast as in NumPy";
  let description = [{
    Example:

    ```mlir
    %y = nn.select %mask, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition, Nn_Tensor:$on_true, Nn_Tensor:$on_false);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true) `,` type($on_false)";
  let hasFolder = 1;
}

def Nn_CastOp : Nn_TypedOp<"cast", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Conversion to another element type";
  let description = [{
    To `i1`, anything but zero is true, NaN too. Floats to integers truncate; what is beyond the range becomes its end, NaN
    becomes 0. Integers to narrower ones wrap. To floats, values are rounded once, to nearest even; but integers become
    `f16`, `bf16` and narrow floats through `f32`.

    To floats of 8 bits, what is beyond the greatest number, infinity too, becomes it; with `overflows` it becomes infinity,
    or NaN where the type has none. `f4E2M1FN` always saturates, and NaN becomes -0. `rounding` says which power of two a
    number becomes in `f8E8M0FNU`; what is below the smallest becomes it, or NaN with `overflows`. Floats to integers of 4
    and 2 bits are rounded to nearest even and wrap, as ONNX says.

    Example:

    ```mlir
    %y = nn.cast %x : tensor<4xi32> to tensor<4xf32>
    %narrow = nn.cast %y {overflows} : tensor<4xf32> to tensor<4xf8E5M2>
    ```
  }];
  let arguments = (ins Nn_AnyTensor:$operand, UnitAttr:$overflows,
                       DefaultValuedAttr<Nn_ScaleRounding, "ScaleRounding::Up">:$rounding);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_RequantizeOp : Nn_Op<"requantize", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An integer times a fixed-point number, rounded in one of three exact ways";
  let description = [{
    x * multiplier / 2^31 * 2^shift in integers alone, to the bit (dialects/nn/FixedPoint.h), broadcast as in NumPy; the result
    is i32, where it wraps. `double` rounds twice: x as i32, behind a shift to the left that wraps, times the multiplier, halves
    up and at most 2^31 - 1; then the shift to the right, halves away from zero. `single` rounds once, halves up; `mult16` too,
    with the multiplier rounded to 16 bits first. A shift beyond what these have bits for (-31 to 30, `mult16` to 14) is its end.

    Example:

    ```mlir
    %y = nn.requantize double %sums by %multiplier shift %shift
        : tensor<1x8x8x16xi32>, tensor<16xi32>, tensor<16xi32>
    ```
  }];
  let arguments = (ins Nn_FixedPointRounding:$rounding, Nn_IndexTensor:$operand, Nn_Int32Tensor:$multiplier,
                       Nn_Int32Tensor:$shift);
  let assemblyFormat = [{
    $rounding $operand `by` $multiplier `shift` $shift attr-dict `:` type($operand) `,` type($multiplier) `,` type($shift)
  }];
}

def Nn_BitcastOp : Nn_TypedOp<"bitcast", [Nn_FullWidth, Nn_MovesAxes, Nn_EvaluatedInFull]> {
  let summary = "The same bits as elements of another type";
  let description = [{
    Elements of as many bits keep the shape. Of narrower ones several come from one element, and a last axis is new that counts
    them, from the lowest bits on; to wider ones the last axis is joined, and goes. No booleans.

    Example:

    ```mlir
    %bytes = nn.bitcast %x : tensor<3xf32> to tensor<3x4xui8>
    ```
  }];
  let arguments = (ins Nn_AnyTensor:$operand);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    bool keepsSplats() { return keepsShape(); }
    /// Whether elements have as many bits as before.
    bool keepsShape() { return getOperand().getType().getRank() == getType().getRank(); }
  }];
}

//===----------------------------------------------------------------------===//
// Windows, reductions, normalizations
//===----------------------------------------------------------------------===//

def Nn_PoolOp : Nn_Op<"pool", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "Maximum or average over a sliding window of the spatial axes";
  let description = [{
    Input `[N, spatial..., C]`. `pads` as in `nn.conv`. `overhang` (one per spatial axis) are further cells at the high
    end, which rounding the output size up asks for: an average never counts them. An average counts `pads` only with
    `count_padding`.

    Example:

    ```mlir
    %y = nn.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x8x8x16xf32>     // tensor<1x4x4x16xf32>
    ```
  }];
  let arguments = (ins Nn_PoolKind:$kind, Nn_Tensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$overhang, UnitAttr:$count_padding);
  let assemblyFormat = "$kind $input attr-dict `:` type($input)";
  let hasFolder = 1;
}

def Nn_PoolCodeOp : Nn_Op<"pool_code", [Nn_Nest, Nn_SameWidth]> {
  let summary = "Which cell of its window each maximum is";
  let description = [{
    Of `input` and the maxima that `nn.pool` gives of it with these attributes: the number, in row-major order and at most 253, of the
    first cell of the window that equals the maximum; 255 (ui8) where none does, as of NaN. A byte of what training must know of a
    pool's input.

    Example:

    ```mlir
    %code = nn.pool_code %x, %maxima {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x8x8x16xf32>, tensor<1x4x4x16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$maxima, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$overhang);
  let assemblyFormat = "$input `,` $maxima attr-dict `:` type($input) `,` type($maxima)";
}

def Nn_UnpoolOp : Nn_Op<"unpool", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "The sum of windows, each in the cell that its code names: the adjoint of a maximum over windows";
  let description = [{
    Operands `[N, windows..., C]`, codes as of `nn.pool_code`. The result has two axes for each spatial one, `[N, (steps, stride)..., C]`:
    element `(q, r)` is cell `q * stride + r` of the first window's first cell on, and there are as many as windows reach. What a
    reshape makes of it is the pool's padded input.

    Example:

    ```mlir
    %dx = nn.unpool %dy, %code {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>}
        : tensor<1x4x4x16xf32>, tensor<1x4x4x16xui8>     // tensor<1x4x2x4x2x16xf32>
    ```
  }];
  let arguments = (ins Nn_Tensor:$operand, Nn_Tensor:$code, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations);
  let assemblyFormat = "$operand `,` $code attr-dict `:` type($operand) `,` type($code)";
}

def Nn_ReduceOp : Nn_Op<"reduce", [Nn_Nest, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing, Nn_PassesCounts]> {
  let summary = "Reduction along axes";
  let description = [{
    `axes` are sorted and non-negative; no axes means the identity. Other reductions are compositions. Integers are added up
    in their own type, where they wrap, and a mean truncates. Of nothing, a sum is 0, a product 1, a maximum the least number
    of the type and a minimum the greatest (infinities for floats), a mean NaN, or 0 for integers.

    Example:

    ```mlir
    %mean = nn.reduce mean %x {axes = array<i64: 1, 2>, keep_dims} : tensor<1x8x8x16xf32>     // tensor<1x1x1x16xf32>
    ```
  }];
  let arguments = (ins Nn_ReduceKind:$kind, Nn_Tensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce", [Nn_Scan, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing, Nn_PassesCounts]> {
  let summary = "Index (i64) of the largest or smallest element along an axis";
  let description = [{
    NaN is never chosen. If no element is better than -inf (+inf for min), the index is 0, or that of the last such element with
    `select_last`.

    Example:

    ```mlir
    %class = nn.arg_reduce max %scores {axis = 1} : tensor<4x10xf32>     // tensor<4xi64>
    ```
  }];
  let arguments = (ins Nn_ArgKind:$kind, Nn_Tensor:$operand, I64Attr:$axis, UnitAttr:$keep_dims, UnitAttr:$select_last);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
}

def Nn_SoftmaxOp : Nn_Op<"softmax", [Nn_Row, Nn_BoundedWidth, Nn_KeepsAxes, Nn_EvaluatedByReducing]> {
  let summary = "exp(x - max) / sum along one axis, or its logarithm";
  let description = [{
    Example:

    ```mlir
    %y = nn.softmax %x {axis = 1} : tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$operand, I64Attr:$axis, UnitAttr:$log);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_NormalizeOp : Nn_Op<"normalize", [Nn_Row, Nn_BoundedWidth, Nn_KeepsAxes]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) over the given axes";
  let description = [{
    Layer, instance and group normalization, without scale and shift.

    Example:

    ```mlir
    %y = nn.normalize %x {axes = array<i64: 2>, epsilon = 1.0e-5} : tensor<2x5x64xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$operand, DenseI64ArrayAttr:$axes, F64Attr:$epsilon);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_LrnOp : Nn_Op<"lrn", [Nn_Nest, Nn_FreeWidth]> {
  let summary = "Local response normalization across channels (the last axis)";
  let description = [{
    x / (bias + alpha/size * sum of squares)^beta, the sum over channels `c - (size-1)/2` to `c + size/2`, clipped
    (Krizhevsky et al. 2012; ONNX LRN).

    Example:

    ```mlir
    %y = nn.lrn %x {size = 5, alpha = 1.0e-4, beta = 0.75, bias = 1.0} : tensor<1x8x8x16xf32>
    ```
  }];
  let arguments = (ins Nn_FloatTensor:$operand, I64Attr:$size, F64Attr:$alpha, F64Attr:$beta, F64Attr:$bias);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

#endif // NACRE_DIALECTS_NN_NNOPS
