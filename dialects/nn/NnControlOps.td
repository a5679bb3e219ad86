// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operators of `nn` with regions: conditionals and loops, which a run decides, and functions to differentiate.
//
// Regions are not isolated: they capture the values around them by name. Only the operands of its terminator leave
// a region. All types are static, and agree exactly.

#ifndef NACRE_DIALECTS_NN_NNCONTROLOPS
#define NACRE_DIALECTS_NN_NNCONTROLOPS

include "dialects/nn/NnOpBase.td"

def Nn_TripCount : ConfinedAttr<TypedSignlessIntegerAttrBase<I64, "int64_t", "number of iterations">, [IntNonNegative]>;
def Nn_Trips : Type<0DTensorOf<[I64]>.predicate, "scalar of i64", "::mlir::RankedTensorType">,
               BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getIntegerType(64))">;

class Nn_ControlOp<string mnemonic, list<Trait> traits = []>
    : Op<Nn_Dialect, mnemonic, !listconcat(traits, [Nn_OperatorInterface, Nn_Boundary, Nn_FullWidth, Pure, SingleBlock])>,
      Nn_Rows {
  let hasRegionVerifier = 1;
  let isLowered = 0;
  let isInterpreted = 0;
}

def Nn_IfOp : Nn_ControlOp<"if"> {
  let summary = "The values of one of two regions";
  let description = [{
    The condition, one element of any rank, selects the region that is computed. Both regions have no arguments and yield values
    of the types of the results.

    Example:

    ```mlir
    %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
      %e = nn.unary exp %x : tensor<4xf32>
      nn.yield %e : tensor<4xf32>
    } else {
      nn.yield %x : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition);
  let results = (outs Variadic<Nn_Tensor>:$values);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition `:` type($condition) (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $then_region `else` $else_region
  }];
  let extraClassDeclaration = [{
    YieldOp getThenYield();
    YieldOp getElseYield();
  }];
}

def Nn_ForOp : Nn_ControlOp<"for", [AttrSizedOperandSegments]> {
  let summary = "Computes a region repeatedly, passing carried values from one iteration to the next";
  let description = [{
    There are `trip_count` iterations, or `count`, if that element is given, clamped to [0, `trip_count`]. The arguments of the
    body are the iteration number, from 0 on; the carried values, first `initial` and then those that the previous iteration
    yielded; and for each `scanned` operand, whose axis 0 has `trip_count` rows, the iteration's row, without that axis.

    `nn.yield` returns the carried values and a row of each stack. The results are the carried values after the last
    iteration (without iterations, the initial ones), then the stacks, `[trip_count, ...]`: one row per iteration; rows from
    `count` on are unspecified. Iteration `t` accesses row `t`; with `reverse`, which excludes `count`, row `trip_count - 1 - t`.

    Example:

    ```mlir
    %last, %all = nn.for 100 carried(%h0 : tensor<8xf32>) scanned(%xs : tensor<100x8xf32>) -> (tensor<8xf32>, tensor<100x8xf32>) {
    ^bb0(%iteration: tensor<i64>, %h: tensor<8xf32>, %x: tensor<8xf32>):
      %sum = nn.binary add %h, %x : tensor<8xf32>, tensor<8xf32>
      nn.yield %sum : tensor<8xf32> stacked(%sum : tensor<8xf32>)
    }
    ```
  }];
  let arguments = (ins Nn_TripCount:$trip_count, Optional<Nn_IndexTensor>:$count, Variadic<Nn_Tensor>:$initial,
                       Variadic<Nn_Tensor>:$scanned, UnitAttr:$reverse);
  let results = (outs Variadic<Nn_Tensor>:$values);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $trip_count (`count` `(` $count^ `:` type($count) `)`)? (`carried` `(` $initial^ `:` type($initial) `)`)?
    (`scanned` `(` $scanned^ `:` type($scanned) `)`)? (`reverse` $reverse^)? (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarriedArguments() { return getBody().getArguments().slice(1, getInitial().size()); }
    ::mlir::Block::BlockArgListType getScannedArguments() { return getBody().getArguments().drop_front(1 + getInitial().size()); }
    ::mlir::ResultRange getFinals() { return getValues().take_front(getInitial().size()); }
    ::mlir::ResultRange getStacks() { return getValues().drop_front(getInitial().size()); }
    YieldOp getYield();
  }];
}

def Nn_WhileOp : Nn_ControlOp<"while"> {
  let summary = "Computes a region while a condition holds";
  let description = [{
    Before each iteration, the first region decides with `nn.condition` whether it is computed. The arguments of both regions are
    the iteration number, from 0 on, and the carried values; the second region is a body like that of `nn.for`. A `bound` limits the
    iterations and allows stacks, `[bound, ...]`. The results are the carried values after the last iteration, the stacks, and the
    number of iterations, `trips`; later rows of the stacks are unspecified.

    Example:

    ```mlir
    %last, %all, %trips = nn.while bound 64 carried(%x0 : tensor<f32>) -> (tensor<f32>, tensor<64xf32>) {
    ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
      %less = nn.binary less %x, %limit : tensor<f32>, tensor<f32>
      nn.condition %less : tensor<i1>
    } do {
    ^bb0(%iteration: tensor<i64>, %x: tensor<f32>):
      %twice = nn.binary add %x, %x : tensor<f32>, tensor<f32>
      nn.yield %twice : tensor<f32> stacked(%x : tensor<f32>)
    }
    ```
  }];
  let arguments = (ins OptionalAttr<Nn_TripCount>:$bound, Variadic<Nn_Tensor>:$initial);
  let results = (outs Variadic<Nn_Tensor>:$values, Nn_Trips:$trips);
  let regions = (region SizedRegion<1>:$condition_region, SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`bound` $bound^)? (`carried` `(` $initial^ `:` type($initial) `)`)? (`->` `(` type($values)^ `)`)? attr-dict-with-keyword $condition_region
    `do` $body
  }];
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getCarriedArguments() { return getBody().getArguments().drop_front(1); }
    ::mlir::ResultRange getFinals() { return getValues().take_front(getInitial().size()); }
    ::mlir::ResultRange getStacks() { return getValues().drop_front(getInitial().size()); }
    ConditionOp getConditionOp();
    YieldOp getYield();
  }];
}

def Nn_GradientOp : Nn_ControlOp<"gradient"> {
  let summary = "The gradients of a region's result with respect to its first arguments";
  let description = [{
    The region computes one tensor of floats from its arguments, the operands. The results are the gradients of the sum of its
    elements, one for each of the first arguments, of their types. An importer creates it if a model computes a gradient;
    the phase `train` replaces it by the gradient, so no later phase sees it.

    Example:

    ```mlir
    %dx = nn.gradient of(%x, %z : tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %y = nn.binary mul %a, %b : tensor<4xf32>, tensor<4xf32>
      nn.yield %y : tensor<4xf32>
    }
    ```
  }];
  let hasGradient = 0;
  let arguments = (ins Variadic<Nn_Tensor>:$point);
  let results = (outs Variadic<Nn_Tensor>:$gradients);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `of` `(` $point `:` type($point) `)` (`->` `(` type($gradients)^ `)`)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    YieldOp getYield();
  }];
}

def Nn_YieldOp : Op<Nn_Dialect, "yield", [Pure, Terminator, ParentOneOf<["IfOp", "ForOp", "WhileOp", "GradientOp"]>, AttrSizedOperandSegments]>, Nn_Rows {
  let hasGradient = 0;
  let isLowered = 0;
  let isInterpreted = 0;
  let summary = "Returns values, and rows of stacks, from a region";
  let description = [{
    Example:

    ```mlir
    %y = nn.if %c : tensor<i1> -> (tensor<4xf32>) {
      nn.yield %a : tensor<4xf32>
    } else {
      nn.yield %b : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Nn_Tensor>:$carried, Variadic<Nn_Tensor>:$stacked);
  let assemblyFormat = "($carried^ `:` type($carried))? (`stacked` `(` $stacked^ `:` type($stacked) `)`)? attr-dict";
}

def Nn_ConditionOp : Op<Nn_Dialect, "condition", [Pure, Terminator, HasParent<"WhileOp">]>, Nn_Rows {
  let hasGradient = 0;
  let isLowered = 0;
  let isInterpreted = 0;
  let summary = "Decides whether an iteration is computed: one element of any rank";
  let description = [{
    Example:

    ```mlir
    %trips = nn.while bound 10 {
    ^bb0(%iteration: tensor<i64>):
      nn.condition %more : tensor<1xi1>
    } do {
    ^bb0(%iteration: tensor<i64>):
      nn.yield
    }
    ```
  }];
  let arguments = (ins Nn_BoolTensor:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
}

#endif // NACRE_DIALECTS_NN_NNCONTROLOPS
