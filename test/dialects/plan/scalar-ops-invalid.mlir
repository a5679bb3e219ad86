// RUN: nacre-opt %s --split-input-file --verify-diagnostics

func.func @bounds_ascend(%x: f32) -> i32 {
  // expected-error @below {{must have bounds in ascending order of at most 2^20, but has 5 and 4}}
  %y = plan.round %x in 5 to 4 : i32
  return %y : i32
}

// -----

func.func @floats_hold_bounds(%x: f32) -> i32 {
  // expected-error @below {{must have bounds in ascending order of at most 2^20, but has 0 and 1048577}}
  %y = plan.round %x in 0 to 1048577 : i32
  return %y : i32
}

// -----

func.func @bytes_have_a_sign(%x: i32) -> i8 {
  // expected-error @below {{must have bounds of a byte, but has -1 and 255}}
  %y = plan.clamp %x in -1 to 255
  return %y : i8
}

// -----

func.func @tables_have_every_byte(%x: i8, %table: tensor<128xi8>) -> i8 {
  // expected-error @below {{must have a table of 256 bytes, but has 'tensor<128xi8>'}}
  %y = plan.lookup %x in %table : tensor<128xi8>
  return %y : i8
}
