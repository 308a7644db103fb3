// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every step but control, as cases of a switch over its number: once in the interpreter's loop, and
// once for each step of a generated kernel, where the number is a constant.

case Control_StartArg:
  L[d][0] = ~0ul;
  break;
case Control_FinishArg:
  LOOP L[d][e] = (long)L[d][0] < 0 ? 0 : L[d][0];
  break;
SPILL(F32, F, float)
SPILL(I32, I, uint)
SPILL(I64, L, ulong)
#ifdef FP64
SPILL(F64, D, double)
#endif

// -------------------------------------------------------------------------------- leaves
STEP(Constant, F32) : LOOP F[d][e] = as_float((uint)imm); break;
STEP(Constant, I32) : STEP(Constant, U32) : LOOP I[d][e] = (uint)imm; break;
STEP(Constant, I64) : STEP(Constant, U64) : LOOP L[d][e] = (ulong)imm; break;
STEP(Constant, Mask) : LOOP I[d][e] = (imm & 0xff) != 0 ? 1 : 0; break;
STEP(Parameter, F32) : LOOP F[d][e] = as_float((uint)PARAMETER); break;
STEP(Parameter, I32) : STEP(Parameter, U32) : LOOP I[d][e] = (uint)PARAMETER; break;
STEP(Parameter, I64) : STEP(Parameter, U64) : LOOP L[d][e] = (ulong)PARAMETER; break;
STEP(Parameter, Mask) : LOOP I[d][e] = (PARAMETER & 0xff) != 0 ? 1 : 0; break;
STEP(Coordinate, I64) : {
  Words axis = launch + launch[Header_Coordinates] + 2 * imm;
  const uint inner = (uint)axis[0];
  const uint extent = (uint)axis[1];
  LOOP L[d][e] = (ulong)(((uint)(base_linear + e * step)) / inner % extent);
} break;

LOAD(kF32, F, float, x)
LOAD(kF16, F, ushort, widen_f16(x))
LOAD(kBf16, F, ushort, as_float((uint)x << 16))
LOAD(kI32, I, uint, x)
LOAD(kU32, I, uint, x)
LOAD(kI16, I, short, (uint)(int)x)
LOAD(kU16, I, ushort, (uint)x)
LOAD(kI8, I, char, (uint)(int)x)
LOAD(kU8, I, uchar, (uint)x)
LOAD(kBool, I, uchar, x != 0 ? 1 : 0)
LOAD(kI64, L, ulong, x)
LOAD(kU64, L, ulong, x)

STORE(kF32, F, float, X(F))
STORE(kF16, F, ushort, narrow_f16(X(F)))
STORE(kBf16, F, ushort, (ushort)(as_uint(X(F)) >> 16))
STORE(kI32, I, uint, X(I))
STORE(kU32, I, uint, X(I))
STORE(kI16, I, ushort, (ushort)X(I))
STORE(kU16, I, ushort, (ushort)X(I))
STORE(kI8, I, uchar, (uchar)X(I))
STORE(kU8, I, uchar, (uchar)X(I))
STORE(kBool, I, uchar, (uchar)X(I))
STORE(kI64, L, ulong, X(L))
STORE(kU64, L, ulong, X(L))

// ---------------------------------------------------------------------------- arithmetic
FLOATS(F32, float, F, f32)
BINARY(Div, F32, float, F, , , div_f32(x, y))
UNARY(Recip, F32, float, F, , , div_f32(1, x))
UNARY(Sqrt, F32, float, F, , , sqrt_f32(x))
UNARY(RoundF16, F32, float, F, , , ROUND_F16_F32(x))
UNARY(RoundBf16, F32, float, F, , , ROUND_BF16_F32(x))
CONVERT_FLOAT(F32, float, F)

INTS(I32, int, uint, I, signed_)
BINARY(Div, I32, int, I, (int), (uint), DIV_SIGNED(x, y, int, uint))
BINARY(Rem, I32, int, I, (int), (uint), rem_i32(x, y))
UNARY(Abs, I32, int, I, (int), (uint), x < 0 ? (int)(0u - (uint)x) : x)
INTS(U32, uint, uint, I, unsigned_)
BINARY(Div, U32, uint, I, , , DIV_UNSIGNED(x, y, uint))
BINARY(Rem, U32, uint, I, , , REM_UNSIGNED(x, y))
UNARY(Abs, U32, uint, I, , , x)
INTS(I64, long, ulong, L, signed_)
BINARY(Div, I64, long, L, (long), (ulong), DIV_SIGNED(x, y, long, ulong))
BINARY(Rem, I64, long, L, (long), (ulong), rem_i64(x, y))
UNARY(Abs, I64, long, L, (long), (ulong), x < 0 ? (long)(0ul - (ulong)x) : x)
INTS(U64, ulong, ulong, L, unsigned_)
BINARY(Div, U64, ulong, L, , , DIV_UNSIGNED(x, y, ulong))
BINARY(Rem, U64, ulong, L, , , REM_UNSIGNED(x, y))
UNARY(Abs, U64, ulong, L, , , x)
CONVERT_INT(I32, int, I)
CONVERT_INT(U32, uint, I)
CONVERT_INT(I64, long, L)
CONVERT_INT(U64, ulong, L)
CONVERT_INT(Mask, uint, I)

BINARY(And, Mask, uint, I, , , x & y)
BINARY(Or, Mask, uint, I, , , x | y)
BINARY(Xor, Mask, uint, I, , , x ^ y)
BINARY(NotEqual, Mask, uint, I, , , x ^ y)
BINARY(Equal, Mask, uint, I, , , (x ^ y) ^ 1u)
UNARY(Not, Mask, uint, I, , , x ^ 1u)
SELECT(Mask, I)
REDUCE(ReduceAny, Mask, uint, I, , , x | y)
REDUCE(ReduceAll, Mask, uint, I, , , x & y)

#ifdef FP64
STEP(Constant, F64) : LOOP D[d][e] = as_double(imm); break;
STEP(Parameter, F64) : LOOP D[d][e] = as_double(PARAMETER); break;
LOAD(kF64, D, double, x)
STORE(kF64, D, double, X(D))
FLOATS(F64, double, D, f64)
BINARY(Div, F64, double, D, , , x / y)
UNARY(Recip, F64, double, D, , , 1 / x)
UNARY(Sqrt, F64, double, D, , , sqrt(x))
UNARY(RoundF16, F64, double, D, , , ROUND_F16_F64(x))
UNARY(RoundBf16, F64, double, D, , , ROUND_BF16_F64(x))
CONVERT_FLOAT(F64, double, D)
CONVERT(F64, F32, D, F, (float)x, double)
CONVERT(F32, F64, F, D, (double)x, float)
CONVERT(I32, F64, I, D, (double)x, int)
CONVERT(U32, F64, I, D, (double)x, uint)
CONVERT(I64, F64, L, D, (double)x, long)
CONVERT(U64, F64, L, D, (double)x, ulong)
CONVERT(Mask, F64, I, D, (double)x, uint)
STEP(ConvertOdd, I32) : LOOP D[d][e] = (double)(int)I[a][e]; break;
STEP(ConvertOdd, U32) : LOOP D[d][e] = (double)I[a][e]; break;
STEP(ConvertOdd, I64) : LOOP {
  const long x = (long)L[a][e];
  D[d][e] = convert_odd(x < 0 ? 0ul - (ulong)x : (ulong)x, x < 0);
} break;
STEP(ConvertOdd, U64) : LOOP D[d][e] = convert_odd(L[a][e], 0); break;
STEP(Powi, F32) : LOOP F[d][e] = powi_f32(F[a][e], (long)L[b][e]); break;
#endif
