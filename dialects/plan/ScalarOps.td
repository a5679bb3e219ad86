// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on scalars in the bodies of kernels. Machines have short sequences of instructions for them, and emitters
// choose these by the operation. ScalarOps.h expands the operations for engines without such instructions.

#ifndef NACRE_DIALECTS_PLAN_SCALAROPS
#define NACRE_DIALECTS_PLAN_SCALAROPS

include "dialects/plan/PlanDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Plan_ScalarOp<string mnemonic, list<Trait> traits = []> : Plan_Op<mnemonic, !listconcat([Pure], traits)>;

def Plan_RoundOp : Plan_ScalarOp<"round"> {
  let summary = "Rounds a float to an integer, adds a zero point and clamps the sum";
  let description = [{
    `operand` is rounded to nearest, halves to even. `zero` is added, and the sum is clamped to `low` to `high`. The sum and the
    bounds do not wrap: infinities and large floats become bounds. NaN becomes `of_nan`; without it, the operand is never NaN. An
    i8 holds a signed or an unsigned byte, depending on the bounds.

    ```mlir
    %y = plan.round %x plus %zero in 0 to 255 nan 0 : i8
    ```
  }];
  let arguments = (ins F32:$operand, Optional<I16>:$zero, Plan_Int:$low, Plan_Int:$high, OptionalAttr<Plan_Int>:$of_nan);
  let results = (outs AnyTypeOf<[I8, I32]>:$result);
  let extraClassDeclaration = [{
    /// Returns the zero point, which is 0 without the operand `zero`. Returns `nullopt` if it is only known at run
    /// time.
    std::optional<int64_t> getKnownZero();
  }];
  let assemblyFormat = [{
    $operand (`plus` $zero^)? `in` $low `to` $high (`nan` $of_nan^)? attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def Plan_ClampOp : Plan_ScalarOp<"clamp"> {
  let summary = "Clamps an i32 and narrows it to a signed or an unsigned byte";
  let description = [{
    ```mlir
    %y = plan.clamp %x in -128 to 127
    ```
  }];
  let arguments = (ins I32:$operand, Plan_Int:$low, Plan_Int:$high);
  let results = (outs I8:$result);
  let assemblyFormat = "$operand `in` $low `to` $high attr-dict";
  let hasVerifier = 1;
}

def Plan_MultiplyHighOp : Plan_ScalarOp<"multiply_high"> {
  let summary = "Returns (lhs * rhs + 2^30) / 2^31, rounded down";
  let description = [{
    This is a product with a fixed-point number, with halves rounded up. Only the square of the least i32 does not fit. With
    `saturates`, it becomes the greatest i32. Otherwise, it must not occur.

    ```mlir
    %y = plan.multiply_high saturates %x, %multiplier
    ```
  }];
  let arguments = (ins I32:$lhs, I32:$rhs, UnitAttr:$saturates);
  let results = (outs I32:$result);
  let assemblyFormat = "(`saturates` $saturates^)? $lhs `,` $rhs attr-dict";
}

def Plan_ShiftHalfUpOp : Plan_ScalarOp<"shift_half_up"> {
  let summary = "Shifts to the right by `places` + 1 and rounds halves up";
  let description = [{
    ((operand >> places) + 1) >> 1, where `places` is between 0 and 30 and the addition does not overflow.

    ```mlir
    %y = plan.shift_half_up %x, %places
    ```
  }];
  let arguments = (ins I32:$operand, I32:$places);
  let results = (outs I32:$result);
  let assemblyFormat = "$operand `,` $places attr-dict";
}

def Plan_LookupOp : Plan_ScalarOp<"lookup"> {
  let summary = "Reads the entry of a byte in a table of 256 bytes";
  let description = [{
    The table is an argument of the kernel. An unsigned byte is the index of its entry. With `signed`, the entry of the signed byte
    b is b + 128.

    ```mlir
    %y = plan.lookup signed %x in %table
    ```
  }];
  let arguments = (ins I8:$operand, StaticShapeTensorOf<[I8]>:$table, UnitAttr:$is_signed);
  let results = (outs I8:$result);
  let assemblyFormat = "(`signed` $is_signed^)? $operand `in` $table attr-dict `:` type($table)";
  let hasVerifier = 1;
}

#endif // NACRE_DIALECTS_PLAN_SCALAROPS
