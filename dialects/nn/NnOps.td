// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn`. Every operator infers its result types (InferTypes.cpp, from the pure rules in ShapeRules.h),
// so an importer never computes a shape; states its facts (NnInterfaces.td), so that no pass lists operators; and folds
// when all its operands are small constants, if it says how it is evaluated. An operator gives the same result on every
// machine, folded or compiled (ScalarFunctions.h; test/meaning compares), with two exceptions. A zero has any sign if
// it is a sum, the largest or smallest of zeros of both signs, or a deviation from a mean. Floats too small to be
// normal may be taken, and left, as zeros.

#ifndef NACRE_DIALECTS_NN_NNOPS
#define NACRE_DIALECTS_NN_NNOPS

include "dialects/nn/NnContractionOps.td"
include "dialects/nn/NnControlOps.td"
include "dialects/nn/NnMovementOps.td"
include "dialects/nn/NnQuantizationOps.td"
include "dialects/nn/NnScatterOps.td"
include "dialects/nn/NnSelectionOps.td"

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
  let isLowered = 0;
  let arguments = (ins Nn_UnaryKind:$kind, Nn_Tensor:$operand, DefaultValuedAttr<F64Attr, "0.0">:$alpha);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
  // A macro with a row for each function (compiler/train/rules/Elementwise.cpp says what a row is).
  let extraClassDeclaration = "Width getWidth();\n#define NN_SLOPE_ROWS(ROW) " #
                              !interleave(!foreach(function, Nn_UnaryFunctions, function.gradient), " ") # "\n";
  let extraClassDefinition =
    !foldl("const UnaryFacts &getFacts(UnaryKind kind) {\nstatic const UnaryFacts rows[] = {\n", Nn_UnaryFunctions, text,
           function, text # function.row) # "};\nreturn rows[unsigned(kind)];\n}";
}

def Nn_BinaryOp : Nn_Op<"binary", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "An elementwise function of two tensors, broadcast as in NumPy";
  let description = [{
    Both operands have the same element type (`pow` excepted: the result has the base's). Comparisons give `i1`; `and`,
    `or`, `xor` are bitwise. Integers wrap. Integer `div` truncates; `mod` has the sign of the divisor, `fmod` of the dividend;
    by 0 all three give 0. A shift by the width or more (as unsigned) gives 0, or -1 for a right shift of a negative number.
    Integers to a negative power are 0 except for 1 and -1. `min` and `max` propagate NaN. A power of
    floats is the `pow` of C and IEEE 754 for every exponent, constant or not; the exponent is first rounded to the type that the
    base is computed in. An integer to a power of floats is computed in f64, truncated, and limited to the range of its type.

    Example:

    ```mlir
    %y = nn.binary add %x, %bias : tensor<1x8x8x16xf32>, tensor<16xf32>
    ```
  }];
  let isLowered = 0;
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
  let isLowered = 0;
  let arguments = (ins Nn_BoolTensor:$condition, Nn_Tensor:$on_true, Nn_Tensor:$on_false);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true) `,` type($on_false)";
  let hasFolder = 1;
}

def Nn_CastOp : Nn_TypedOp<"cast", [Nn_Elementwise, Nn_SameWidth, Nn_Broadcasts, Nn_Evaluated]> {
  let summary = "Conversion to another element type";
  let description = [{
    To `i1`: everything except zero is true, including NaN. Floats to integers: truncated and clamped to the range; NaN
    becomes 0. Integers to narrower ones: wrapped. To floats: rounded once, to nearest even; but integers are converted to
    `f16`, `bf16` and narrow floats through `f32`.

    To 8-bit floats: values beyond the largest number, including infinity, are clamped; with `overflows` they become infinity,
    or NaN if the type has no infinity. `f4E2M1FN` always saturates, and NaN becomes -0. `rounding` selects the power of two
    for `f8E8M0FNU`; values below the smallest are clamped, or become NaN with `overflows`. Floats to 4- and 2-bit integers
    are rounded to nearest even and wrap, as in ONNX.

    Example:

    ```mlir
    %y = nn.cast %x : tensor<4xi32> to tensor<4xf32>
    %narrow = nn.cast %y {overflows} : tensor<4xf32> to tensor<4xf8E5M2>
    ```
  }];
  let isLowered = 0;
  let arguments = (ins Nn_AnyTensor:$operand, UnitAttr:$overflows,
                       DefaultValuedAttr<Nn_ScaleRounding, "ScaleRounding::Up">:$rounding);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
}

def Nn_BitcastOp : Nn_TypedOp<"bitcast", [Nn_FullWidth, Nn_MovesAxes, Nn_EvaluatedInFull]> {
  let summary = "Reinterprets bits as elements of another type";
  let description = [{
    A type of the same width keeps the shape. To a narrower type, each element is split into several along a new last axis,
    from the lowest bits on. To a wider type, the last axis is joined and removed. Booleans are not allowed.

    Example:

    ```mlir
    %bytes = nn.bitcast %x : tensor<3xf32> to tensor<3x4xui8>
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Nn_AnyTensor:$operand);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    WorkKind getWorkKind();
    bool keepsSplats() { return keepsShape(); }
    std::optional<OpLayouts> transferLayout(::mlir::Value value, Dims layout);
    /// Returns whether elements have as many bits as before.
    bool keepsShape() { return getOperand().getType().getRank() == getType().getRank(); }
  }];
}

//===----------------------------------------------------------------------===//
// Windows, reductions, normalizations
//===----------------------------------------------------------------------===//

def Nn_PoolOp : Nn_Op<"pool", [Nn_Nest, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "Maximum or average over a sliding window of the spatial axes";
  let description = [{
    Input `[N, spatial..., C]`. `pads` as in `nn.conv`. `overhang` (one per spatial axis) is the number of extra cells at the
    high end if the output size is rounded up; an average never counts them. An average counts `pads` only with
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

def Nn_PoolCodeOp : Nn_Op<"pool_code", [Nn_Nest, Nn_SameWidth, Nn_StatesAxes]> {
  let summary = "The cell of each maximum in its window";
  let description = [{
    `maxima` is the result of `nn.pool` on `input` with these attributes. The result (ui8) is the number, in row-major order and at most
    253, of the first cell of the window that equals the maximum, or 255 if no cell does (NaN). Padding is no cell. Training keeps this byte instead of the
    pool's input.

    Example:

    ```mlir
    %code = nn.pool_code %x, %maxima {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>,
        dilations = array<i64: 1, 1>, overhang = array<i64: 0, 0>} : tensor<1x8x8x16xf32>, tensor<1x4x4x16xf32>
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Nn_Tensor:$input, Nn_Tensor:$maxima, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$overhang);
  let assemblyFormat = "$input `,` $maxima attr-dict `:` type($input) `,` type($maxima)";
}

def Nn_UnpoolOp : Nn_Op<"unpool", [Nn_Nest, Nn_FreeWidth, Nn_StatesAxes]> {
  let summary = "Adds each value to the cell of its window that its code names: the adjoint of max pooling";
  let description = [{
    Operands `[N, windows..., C]`, codes as of `nn.pool_code`. The result has two axes for each spatial one, `[N, (steps, stride)..., C]`:
    element `(q, r)` is cell `q * stride + r`, counted from the first cell of the first window. It covers all windows. A reshape
    turns it into the pool's padded input.

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

def Nn_ReduceOp : Nn_Op<"reduce", [Nn_Nest, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing]> {
  let summary = "Reduction along axes";
  let description = [{
    `axes` are sorted and non-negative; no axes means the identity. Other reductions are compositions. Integer sums wrap in
    their own type, and means truncate. For no elements, a sum is 0, a product 1, a maximum the smallest number of the type,
    a minimum the largest (infinities for floats), and a mean NaN, or 0 for integers.

    Example:

    ```mlir
    %mean = nn.reduce mean %x {axes = array<i64: 1, 2>, keep_dims} : tensor<1x8x8x16xf32>     // tensor<1x1x1x16xf32>
    ```
  }];
  let prologueOperand = 0;
  let arguments = (ins Nn_ReduceKind:$kind, Nn_Tensor:$operand, DenseI64ArrayAttr:$axes, UnitAttr:$keep_dims);
  let assemblyFormat = "$kind $operand attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Nn_ArgReduceOp : Nn_Op<"arg_reduce", [Nn_Scan, Nn_SameWidth, Nn_MovesAxes, Nn_EvaluatedByReducing]> {
  let summary = "Index (i64) of the largest or smallest element along an axis";
  let description = [{
    NaN is never selected. If no element is larger than -inf (for min: smaller than +inf), the index is 0, or with `select_last`
    that of the last such element.

    Example:

    ```mlir
    %class = nn.arg_reduce max %scores {axis = 1} : tensor<4x10xf32>     // tensor<4xi64>
    ```
  }];
  let hasGradient = 0;
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
  let prologueOperand = 0;
  let keepsType = 1;
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
  let prologueOperand = 0;
  let arguments = (ins Nn_FloatTensor:$operand, DenseI64ArrayAttr:$axes, F64Attr:$epsilon);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

def Nn_LrnOp : Nn_Op<"lrn", [Nn_Nest, Nn_FreeWidth, Nn_StatesAxes]> {
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

// How a table names an operator: its class, and its name.
class Nn_RowName<Nn_Rows op> {
  defvar record = !cast<string>(op);
  string cppClass = !substr(record, 3);
  string name = !substr(record, 3, !sub(!size(record), 5));
}

class Nn_RowsOf<list<Nn_Rows> ops> {
  defvar gradients = !foreach(op, !filter(op, ops, op.hasGradient), "ROW(" # Nn_RowName<op>.cppClass # ", " # Nn_RowName<op>.name # ")");
  defvar lowered = !foreach(op, !filter(op, ops, op.isLowered), "ROW(" # Nn_RowName<op>.cppClass # ", " # Nn_RowName<op>.name # ", " # op.prologueOperand # ")");
  defvar interpreted = !foreach(op, !filter(op, ops, op.isInterpreted), "ROW(" # Nn_RowName<op>.cppClass # ", " #
                                !if(!eq(!size(!cast<Op>(!cast<string>(op)).results), 1), "Tensor", "Results") # ")");
  defvar kept = !foreach(op, !filter(op, ops, op.keepsType), "ROW(" # Nn_RowName<op>.cppClass # ")");
  string macros = "\n#define NN_GRADIENT_ROWS(ROW) " # !interleave(gradients, " ") #
                  "\n#define NN_LOWERED_ROWS(ROW) " # !interleave(lowered, " ") #
                  "\n#define NN_INTERPRETED_ROWS(ROW) " # !interleave(interpreted, " ") #
                  "\n#define NN_KEPT_TYPE_ROWS(ROW) " # !interleave(kept, " ") # "\n";
}

def Nn_ConstantOp : Nn_Op<"constant", [ConstantLike, Nn_Boundary, Nn_FreeWidth]> {
  let summary = "A tensor known at compile time";
  let description = [{
    Weights of the model are `dense_resource` views of the mapped file; splats stay splats. Signed integers are signless.

    Example:

    ```mlir
    %filter = nn.constant dense<[[1.0, 0.5], [0.0, -1.0]]> : tensor<2x2xf32>
    ```
  }];
  let hasGradient = 0;
  let isLowered = 0;
  let isInterpreted = 0;
  // A macro for each table of the compiler, with a row for each operator; the table's own file says what a row is. It
  // is made here because all other operators are defined by now
  // (docs/decisions/2026-11-25-tables-are-made-of-definitions.md).
  let extraClassDeclaration = Nn_RowsOf<!instances<Nn_Rows>()>.macros;
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Nn_AnyTensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

#endif // NACRE_DIALECTS_NN_NNOPS
