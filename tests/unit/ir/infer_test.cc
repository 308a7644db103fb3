// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/infer.h"

#include <catch2/catch.hpp>

#include "ir/parse.h"
#include "ir/verify.h"

namespace faultline::ir {
namespace {

// The status of one application, `op(types) attributes : declared`, written as a program whose
// inputs are zeros.
Status Infer(const std::vector<std::string>& operands, const std::string& declared,
             const std::string& application) {
  std::string text = "faultline 1\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string& type = operands[i];
    const bool empty_bool = type.starts_with("bool");
    text += "%" + std::string(1, static_cast<char>('a' + i)) + ": " + type + " = input constant(" +
            (empty_bool ? "false" : "0") + ")\n";
  }
  text += "%y: " + declared + " = " + application + "\n";
  const auto program = ParseAndVerify(text);
  return program.has_value() ? Status() : program.error();
}

std::string WhyNot(const std::vector<std::string>& operands, const std::string& declared,
                   const std::string& application) {
  const Status status = Infer(operands, declared, application);
  return status.message();
}

#define CHECK_TAKES(...) CHECK(WhyNot(__VA_ARGS__) == "")
#define CHECK_REFUSES(...) CHECK(WhyNot(__VA_ARGS__) != "")

TEST_CASE("elementwise ops broadcast and keep the dtype") {
  CHECK_TAKES({"f32[3,1]", "f32[4]"}, "f32[3,4]", "add %a %b");
  CHECK_TAKES({"u8[1]", "u8[0]"}, "u8[0]", "bitwise_and %a %b");
  CHECK(WhyNot({"f32[2]", "i32[2]"}, "f32[2]", "add %a %b") ==
        "add: operand 1 is i32, but operand 0 is f32");
  CHECK(WhyNot({"f32[2]", "f32[3]"}, "f32[2]", "add %a %b") ==
        "add: shapes [2] and [3] do not broadcast");
  CHECK(WhyNot({"f32[2]", "f32[2]"}, "f32[3]", "add %a %b") ==
        "add: result is declared f32[3], but is f32[2]");
  CHECK(WhyNot({"bool[2]", "bool[2]"}, "bool[2]", "add %a %b") == "add: operand 0 may not be bool");
  CHECK(WhyNot({"f32[2]"}, "f32[2]", "add %a") == "add: takes 2 operands, but has 1");
  CHECK_REFUSES({"i32[2]"}, "i32[2]", "exp %a");
  CHECK_REFUSES({"f32[2]"}, "f32[2]", "bool_not %a");
}

TEST_CASE("comparisons give bool") {
  CHECK_TAKES({"bf16[2,3]", "bf16[3]"}, "bool[2,3]", "lower %a %b");
  CHECK_TAKES({"i64[2]"}, "bool[2]", "equal_scalar %a -3");
  CHECK_REFUSES({"i64[2]"}, "i64[2]", "equal_scalar %a -3");
}

TEST_CASE("scalars are counted and typed") {
  CHECK_TAKES({"f32[2]"}, "f32[2]", "clamp %a -1 0x1p+1");
  CHECK(WhyNot({"f32[2]"}, "f32[2]", "clamp %a -1") == "clamp: takes 2 scalars, but has 1");
  CHECK_REFUSES({"f32[2]"}, "f32[2]", "clamp %a -1 1 2");
  CHECK_REFUSES({"i32[2]"}, "i32[2]", "add_scalar %a 1.5");
  CHECK_REFUSES({"i32[2]"}, "i32[2]", "add_scalar %a nan");
  CHECK_REFUSES({"u8[2]"}, "u8[2]", "add_scalar %a 256");
  CHECK_TAKES({"u8[2]"}, "u8[2]", "bitwise_left_shift_scalar %a 256");
  CHECK_TAKES({"bool[2]", "bool[2]"}, "bool[2]", "mask_fill %a %b true");
  const Type type(Dtype::kF32, {2});
  const Scalar wrong = IntScalar(Dtype::kI32, 1);
  CHECK_FALSE(InferTypes(Opcode::kAddScalar, {&type, 1}, {&wrong, 1}, {}, {}).has_value());
}

TEST_CASE("ops with several results declare a type for each") {
  CHECK_TAKES({"f32[2,3]"}, "f32[2,1], %z: i32[2,1]", "max_dim_with_indices %a dim=1");
  CHECK_TAKES({"u8[2,3]"}, "u8[2,2], %z: i64[2,2]", "topk_with_indices %a dim=1 k=2");
  CHECK(WhyNot({"f32[2,3]"}, "f32[2,1]", "max_dim_with_indices %a dim=1") ==
        "max_dim_with_indices: has 2 results, but 1 is declared");
  CHECK(WhyNot({"f32[2]"}, "f32[2], %z: f32[2]", "neg %a") ==
        "neg: has 1 result, but 2 are declared");
  CHECK(WhyNot({"f32[2,3]"}, "f32[2,1], %z: i64[2,3]", "max_dim_with_indices %a dim=1") ==
        "max_dim_with_indices: result 1 is declared i64[2,3], but is i64[2,1]");
  CHECK(WhyNot({"f32[2]"}, "f32[2], %z: i16[2]", "sort_with_indices %a dim=0") ==
        "sort_with_indices: result may not be i16");
}

TEST_CASE("windows, parts and top k have shapes of their own") {
  CHECK_TAKES({"f32[7]"}, "f32[3,3]", "unfold %a dim=0 step=2");
  CHECK_TAKES({"f32[2,7]"}, "f32[0,7,3]", "unfold %a dim=0 step=9223372036854775807");
  CHECK(WhyNot({"f32[7]"}, "f32[4,3]", "unfold %a dim=0 step=2") ==
        "unfold: result is declared f32[4,3], but is f32[3,3]");
  CHECK_TAKES({"i8[2,3,4]", "i32[5,2]"}, "i8[5,4]", "gather_nd %a %b");
  CHECK_TAKES({"i8[2,3,4]", "i32[0,3]"}, "i8[0]", "gather_nd %a %b");
  CHECK_REFUSES({"i8[2]", "i32[]"}, "i8[]", "gather_nd %a %b");
  CHECK_TAKES({"i8[2,3]", "i64[4,1]", "i8[4,3]"}, "i8[2,3]", "scatter_nd %a %b %c update=min");
  CHECK_TAKES({"f16[2,3]", "i64[4]", "f16[2,4]"}, "f16[2,3]",
              "select_assign %a %b %c dim=1 update=add");
  CHECK_TAKES({"f32[2,3]"}, "f32[0,3]", "topk %a dim=0 k=0");
  CHECK(WhyNot({"f32[2,3]"}, "f32[4,3]", "topk %a dim=0 k=4") ==
        "topk: k 4 is not in 0 to the extent 2");
}

TEST_CASE("the declared type is the argument where the rule says so") {
  CHECK_TAKES({"f32[2,3]"}, "f32[3,2]", "reshape %a");
  CHECK_TAKES({"f32[0,3]"}, "f32[7,0]", "reshape %a");
  CHECK(WhyNot({"f32[2,3]"}, "f32[5]", "reshape %a") ==
        "reshape: shape [2,3] has 6 elements, but shape [5] has 5");
  CHECK_REFUSES({"f32[2,3]"}, "f64[6]", "reshape %a");
  CHECK_TAKES({"f32[3,1]"}, "f32[2,3,4]", "expand %a");
  CHECK_TAKES({"f32[1]"}, "f32[0]", "expand %a");
  CHECK_REFUSES({"f32[3]"}, "f32[3,2]", "expand %a");
  CHECK_TAKES({"f32[3]"}, "i8[3]", "cast %a");
  CHECK_REFUSES({"f32[3]"}, "i8[4]", "cast %a");
  CHECK_REFUSES({"f32[3]"}, "q8s[3]", "cast %a");
  CHECK_TAKES({}, "bool[3]", "full true");
  CHECK_TAKES({}, "i16[]", "zeros");
  CHECK_REFUSES({}, "q8s[3]", "zeros");
  CHECK_TAKES({"f16[3]"}, "q4s<block=[2]>[3]", "quantize %a");
  CHECK_TAKES({"f16[3]"}, "q4s[3]", "quantize %a range=abs_mean");
  CHECK_REFUSES({"f64[3]"}, "q8s[3]", "quantize %a");
  CHECK_REFUSES({"f32[3]"}, "f32[3]", "quantize %a");
  CHECK_TAKES({"f32[3]"}, "u8<store=native>[3]", "quantize %a");
  CHECK_REFUSES({"f32[3]"}, "u8<store=native>[3]", "quantize %a range=abs_mean");
  CHECK_TAKES({"f32[3]"}, "i32[1]", "argmax %a");
  CHECK_TAKES({"f32[2,3]"}, "i64[2,1]", "argmin %a dim=1");
  CHECK_REFUSES({"f32[3]"}, "i8[1]", "argmax %a");
  CHECK_REFUSES({"f32[3]"}, "f32[1]", "argmax %a");
}

TEST_CASE("without a declared type what is inferred is returned") {
  const std::vector<Type> operands = {{Dtype::kF32, {2, 3}}, {Dtype::kF32, {3, 5}}};
  const auto types = InferTypes(Opcode::kMatmul, operands, {}, {}, {});
  REQUIRE(types.has_value());
  CHECK(types->at(0) == Type(Dtype::kF32, {2, 5}));
  CHECK_FALSE(InferTypes(Opcode::kReshape, {operands.data(), 1}, {}, {}, {}).has_value());
}

TEST_CASE("movement") {
  CHECK_TAKES({"f32[2,3,4]"}, "f32[4,2,3]", "permute %a axes=[2,0,1]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,3]", "permute %a axes=[0,0]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,3]", "permute %a axes=[0]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,3]", "permute %a axes=[0,-1]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[3,2]", "permute %a");
  CHECK_TAKES({"f32[2,3,4]"}, "f32[4,3,2]", "swap_dims %a dims=[0,2]");
  CHECK_TAKES({"f32[2]"}, "f32[2]", "swap_dims %a dims=[0,0]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[3,2]", "swap_dims %a dims=[0,2]");
  CHECK_REFUSES({"f32[2,3]"}, "f32[3,2]", "swap_dims %a dims=[0]");
  CHECK_TAKES({"f32[6,2]"}, "f32[3,2]", "slice %a slices=[0:6:-2, 0:2:1]");
  CHECK_TAKES({"f32[6]"}, "f32[0]", "slice %a slices=[4:2:1]");
  CHECK_REFUSES({"f32[6]"}, "f32[6]", "slice %a slices=[0:6:0]");
  CHECK_REFUSES({"f32[6]"}, "f32[6]", "slice %a slices=[]");
  CHECK_TAKES({"f32[6,2]"}, "f32[6,2]", "flip %a axes=[1]");
  CHECK_TAKES({"f32[6,2]"}, "f32[6,2]", "flip %a axes=[]");
  CHECK_REFUSES({"f32[6,2]"}, "f32[6,2]", "flip %a axes=[2]");
  CHECK_REFUSES({"f32[6,2]"}, "f32[6,2]", "flip %a axes=[1,1]");
  CHECK_TAKES({"f32[2]", "f32[0]", "f32[3]"}, "f32[5]", "cat %a %b %c dim=0");
  CHECK_REFUSES({"f32[2,1]", "f32[2,2]"}, "f32[4,1]", "cat %a %b dim=0");
  CHECK_REFUSES({"f32[]"}, "f32[]", "cat %a dim=0");
  CHECK_REFUSES({"f32[2]", "f32[2,1]"}, "f32[4]", "cat %a %b dim=0");
  CHECK_REFUSES({}, "f32[2]", "cat dim=0");
  CHECK_TAKES({"f32[2,3]"}, "f32[2,0]", "repeat_dim %a dim=1 times=0");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,3]", "repeat_dim %a dim=1 times=-1");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,3]", "repeat_dim %a dim=1 times=9223372036854775807");
}

TEST_CASE("indexing") {
  CHECK_TAKES({"f32[4,3]", "i32[5]"}, "f32[5,3]", "select %a %b dim=0");
  CHECK_REFUSES({"f32[4,3]", "i8[5]"}, "f32[5,3]", "select %a %b dim=0");
  CHECK_REFUSES({"f32[4,3]", "i32[5,1]"}, "f32[5,3]", "select %a %b dim=0");
  CHECK_TAKES({"f32[4,3]", "i64[9,2]"}, "f32[9,2]", "gather %a %b dim=0");
  CHECK_REFUSES({"f32[4,3]", "i64[9,4]"}, "f32[9,4]", "gather %a %b dim=0");
  CHECK_TAKES({"f32[4]", "i64[9]", "f32[9]"}, "f32[4]", "scatter %a %b %c dim=0 update=add");
  CHECK_REFUSES({"f32[4]", "i64[9]", "f32[8]"}, "f32[4]", "scatter %a %b %c dim=0 update=add");
  CHECK_REFUSES({"f32[4]", "i64[9]", "i32[9]"}, "f32[4]", "scatter %a %b %c dim=0 update=add");
  CHECK_REFUSES({"f32[4]", "i64[9]", "f32[9]"}, "f32[4]", "scatter %a %b %c dim=0");
  CHECK_TAKES({"bool[4]", "i64[9]", "bool[9]"}, "bool[4]", "scatter %a %b %c dim=0 update=assign");
  CHECK_REFUSES({"bool[4]", "i64[9]", "bool[9]"}, "bool[4]", "scatter %a %b %c dim=0 update=add");
  CHECK_TAKES({"i8[6]", "i8[3]"}, "i8[6]", "slice_assign %a %b slices=[0:6:2]");
  CHECK_REFUSES({"i8[6]", "i8[2]"}, "i8[6]", "slice_assign %a %b slices=[0:6:2]");
  CHECK_TAKES({"f32[3]", "bool[2,1]", "f32[1]"}, "f32[2,3]", "mask_where %a %b %c");
  CHECK_REFUSES({"f32[3]", "f32[3]", "f32[3]"}, "f32[3]", "mask_where %a %b %c");
}

TEST_CASE("reductions") {
  CHECK_TAKES({"f32[2,3]"}, "f32[1]", "sum %a");
  CHECK_TAKES({"f32[]"}, "f32[1]", "sum %a");
  CHECK_TAKES({"f32[2,3]"}, "f32[2,1]", "mean_dim %a dim=1");
  CHECK_REFUSES({"f32[]"}, "f32[]", "sum_dim %a dim=0");
  CHECK_REFUSES({"f32[2,3]"}, "f32[2,1]", "sum_dim %a dim=-1");
  CHECK_TAKES({"f32[0]"}, "f32[1]", "mean %a");
  CHECK_REFUSES({"i32[0]"}, "i32[1]", "mean %a");
  CHECK_REFUSES({"i32[2,0]"}, "i32[2,1]", "mean_dim %a dim=1");
  CHECK_REFUSES({"f32[0]"}, "f32[1]", "max %a");
  CHECK_REFUSES({"f32[0]"}, "i64[1]", "argmax %a");
  // Judged by the reduced extent alone.
  CHECK_TAKES({"f32[0,3]"}, "f32[0,1]", "max_dim %a dim=1");
  CHECK_REFUSES({"f32[0,3]"}, "f32[1,3]", "max_dim %a dim=0");
  CHECK_TAKES({"bool[2]"}, "bool[1]", "any %a");
  CHECK_TAKES({"f32[2,0]"}, "f32[2,0]", "softmax %a dim=1");
  CHECK_TAKES({"i8[2,3]"}, "i8[2,3]", "sort %a dim=0 descending=true");
  CHECK_REFUSES({"i8[2,3]"}, "i8[2,3]", "cumsum %a");
}

TEST_CASE("matmul") {
  CHECK_TAKES({"f32[5,1,2,3]", "f32[4,3,7]"}, "f32[5,4,2,7]", "matmul %a %b");
  CHECK_TAKES({"i8[2,0]", "i8[0,3]"}, "i8[2,3]", "matmul %a %b");
  CHECK(WhyNot({"f32[2,3]", "f32[4,5]"}, "f32[2,5]", "matmul %a %b") ==
        "matmul: shapes [2,3] and [4,5] have different inner extents 3 and 4");
  CHECK_REFUSES({"f32[3]", "f32[3,2]"}, "f32[2]", "matmul %a %b");
  CHECK_REFUSES({"f32[2,2,3]", "f32[3,3,2]"}, "f32[2,2,2]", "matmul %a %b");
}

TEST_CASE("sizes are limited, and nothing is allocated to find out") {
  CHECK_REFUSES({}, "f32[1000000,1000000]", "zeros");
  CHECK_REFUSES({}, "f32[4194305]", "zeros");
  CHECK_TAKES({}, "u8[4194304]", "zeros");
  CHECK_REFUSES({"f32[1]"}, "f32[9223372036854775807,9223372036854775807]", "expand %a");
  CHECK_REFUSES({}, "f32[0,9223372036854775807]", "zeros");
}

TEST_CASE("trailing operands of modules may be left out") {
  CHECK_TAKES({"f32[2,3]", "f32[3]"}, "f32[2,3]", "layer_norm %a %b 1");
  CHECK_TAKES({"f32[2,3]", "f32[3]", "f32[3]"}, "f32[2,3]", "layer_norm %a %b %c 1");
  CHECK(WhyNot({"f32[2,3]"}, "f32[2,3]", "layer_norm %a 1") ==
        "layer_norm: takes 2 to 3 operands, but has 1");
  CHECK(WhyNot({"f32[2,3]", "f32[2]"}, "f32[2,3]", "layer_norm %a %b 1") ==
        "layer_norm: operand 1 has shape [2], but must have shape [3], the last axis of [2,3]");
  CHECK(WhyNot({"f32[2,3]", "f32[3]"}, "f32[2,3]", "layer_norm %a %b 0") ==
        "layer_norm: scalar 0x0p+0 is not above 0 and finite");
  CHECK_REFUSES({"f32[2,3]", "f32[3]"}, "f32[2,3]", "layer_norm %a %b inf");
  CHECK_TAKES({"f32[2,4]", "f32[4]"}, "f32[2,4]", "group_norm %a %b 1 groups=2");
  CHECK_REFUSES({"f32[4]", "f32[4]"}, "f32[4]", "group_norm %a %b 1 groups=2");
  CHECK_TAKES({"i8[2,3]", "i8[3,4]", "i8[4]"}, "i8[2,4]", "linear %a %b %c");
  CHECK_TAKES({"f32[3]", "f32[3,0]"}, "f32[0]", "linear %a %b");
  CHECK_REFUSES({"f32[]", "f32[1,1]"}, "f32[1]", "linear %a %b");
  CHECK_TAKES({"u8[5,2]", "i32[3,4]"}, "u8[3,4,2]", "embedding %a %b");
  CHECK_REFUSES({"u8[5,2]", "i16[3]"}, "u8[3,2]", "embedding %a %b");
}

TEST_CASE("composites of views, triangles and classes") {
  CHECK_TAKES({"f32[2,5]"}, "f32[2,0]", "narrow %a dim=1 start=5 length=0");
  CHECK(WhyNot({"f32[2,5]"}, "f32[2,2]", "narrow %a dim=1 start=4 length=2") ==
        "narrow: start 4 and length 2 leave the extent 5 of dim 1");
  CHECK_TAKES({"bool[3,2]"}, "bool[2]", "diag %a");
  CHECK_TAKES({"i8[2]", "i8[2]"}, "i8[2,2]", "stack %a %b dim=1");
  CHECK_REFUSES({"i8[2]", "i8[2]"}, "i8[2,2]", "stack %a %b dim=2");
  CHECK_TAKES({"f16[2,3,3]"}, "f16[2,3,3]", "tril %a diagonal=-7");
  CHECK_TAKES({"i32[4]"}, "bool[4,3]", "one_hot %a classes=3");
  CHECK_REFUSES({"i32[4]"}, "bool[4]", "one_hot %a classes=3");
  CHECK_TAKES({"f32[2,1]", "f32[3]"}, "f32[2,3]", "cross %a %b dim=1");
  CHECK_REFUSES({"f32[3,2]", "f32[3,2]"}, "f32[3,2]", "cross %a %b dim=1");
  CHECK_TAKES({"f64[2,0]"}, "f64[2,1]", "var %a dim=1 ddof=0");
  CHECK_TAKES({"f64[2,0]"}, "f64[1]", "norm %a p=inf");
  CHECK_TAKES({}, "u8[300]", "iota");
  CHECK_REFUSES({}, "u8[300]", "iota dim=-1");
}

TEST_CASE("ops on floats take quantized operands, and the result says what becomes of them") {
  const auto why_not = [](const std::string& statement) {
    const auto program = ParseAndVerify(
        "faultline 1\n"
        "%x: f32[2,4] = input constant(0)\n%h: f16[2,4] = input constant(0)\n"
        "%d: f64[2,4] = input constant(0)\n%i: i32[2,4] = input constant(0)\n"
        "%q: q8s<block=[4]>[2,4] = quantize %x\n%r: q4s[2,4] = quantize %x\n" +
        statement + "\n");
    return program.has_value() ? "" : program.error().message();
  };
  CHECK(why_not("%y: f32[2,4] = add %q %r") == "");
  CHECK(why_not("%y: q8s<block=[4]>[2,4] = add %q %r") == "");
  CHECK(why_not("%y: q4s[2,4] = add %x %r") == "");
  CHECK(why_not("%y: f16[2,4] = mul %h %q") == "");
  CHECK(why_not("%y: f64[2,4] = mul %d %q") == "");
  CHECK(why_not("%y: f32[2,4] = clamp %q -1 0x1p+0") == "");
  CHECK(why_not("%y: bool[2,4] = lower %q %x") == "");
  CHECK(why_not("%y: i64[2,1] = argmax %q dim=1") == "");
  CHECK(why_not("%y: q8s<block=[4]>[2,1] = sum_dim %q dim=1") == "");
  CHECK(why_not("%y: q4s[2,4] = add %q %r") ==
        "add: result is declared q4s[2,4], but the scheme of the first quantized operand gives "
        "q8s<block=[4]>[2,4]");
  CHECK(why_not("%y: f32[2,4] = mul %h %q") == "mul: result is declared f32[2,4], but is f16[2,4]");
  CHECK(why_not("%y: q8s<block=[4]>[2,4] = mul %d %q") ==
        "mul: result is declared q8s<block=[4]>[2,4], but f64[2,4] is not quantized");
  CHECK(why_not("%y: f32[2,4] = add %q %i") != "");
  CHECK(why_not("%y: f32[2,4] = cast %q") != "");
  CHECK(why_not("%y: f32[2,2] = matmul %q %q") != "");
}

TEST_CASE("given scales fit the scheme") {
  const auto why_not = [](const std::string& statement) {
    const auto program = ParseAndVerify(
        "faultline 1\n"
        "%x: f32[2,4] = input constant(0)\n%s: f32[2,1] = input constant(1)\n"
        "%t: f32[] = input [1]\n%z: u8[2,1] = input constant(1)\n" +
        statement + "\n");
    return program.has_value() ? "" : program.error().message();
  };
  CHECK(why_not("%y: q8s<block=[4]>[2,4] = quantize_with %x %s") == "");
  CHECK(why_not("%y: q8s<block=[4],scale=f16,tensor=f32>[2,4] = quantize_with %x %s %t") == "");
  CHECK(why_not("%y: u8<block=[4],store=native>[2,4] = quantize_with %x %s %z") == "");
  CHECK(why_not("%y: q8s<block=[4]>[2,4] = quantize_with %x") ==
        "quantize_with: q8s<block=[4]> takes 2 operands, but there are 1");
  CHECK(why_not("%y: q8s[2,4] = quantize_with %x %s") ==
        "quantize_with: operand 1, the scales, is f32[2,1], but must be f32[1,1]");
  CHECK(why_not("%y: i8<block=[4],store=native>[2,4] = quantize_with %x %s %z") ==
        "quantize_with: operand 2, the zero points, is u8[2,1], but must be i8[2,1]");
}

TEST_CASE("codes are multiplied where one scale belongs to all terms of a dot") {
  const auto type = [](const std::string& text) {
    const auto parsed = ParseType(text);
    REQUIRE(parsed.has_value());
    return *parsed;
  };
  const auto multiplies = [&](const std::string& a, const std::string& b) {
    const Type types[] = {type(a), type(b)};
    return MultipliesCodes(types);
  };
  CHECK(multiplies("q8s[2,4]", "q4f[4,3]"));
  CHECK(multiplies("q8s<block=[4]>[2,4]", "u8<block=[4,1],store=native>[4,3]"));
  CHECK(multiplies("q8s<block=[9]>[2,4]", "q8s[4,3]"));
  CHECK_FALSE(multiplies("q8s<block=[2]>[2,4]", "q8s[4,3]"));
  CHECK_FALSE(multiplies("q8s[2,4]", "q8s<block=[3]>[4,3]"));
  CHECK_FALSE(multiplies("e4m3[2,4]", "q8s[4,3]"));
  CHECK_FALSE(multiplies("f32[2,4]", "q8s[4,3]"));
}

}  // namespace
}  // namespace faultline::ir
