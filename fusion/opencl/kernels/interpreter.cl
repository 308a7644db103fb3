// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One kernel that runs any block: its program is data (fusion/opencl/words.def), so a new block
// costs no compilation. A work item takes a range of elements or of rows and walks it in tiles of
// LANES elements; each step is a loop over the lanes. Registers are private arrays, one file for
// each kind of value, so that no memory is read as another type than it was written as.

#define LOOP for (int e = 0; e < LANES; ++e)
#define STEP(op, reg) case Op_##op * 8 + Reg_##reg

// What the types of a register file are. Ints are kept unsigned, masks as 0 and 1.
#define UNARY(op, reg, type, file, get, put, expression) \
  STEP(op, reg) : LOOP { const type x = get(file[a][e]); file[d][e] = put(expression); } break;
#define BINARY(op, reg, type, file, get, put, expression) \
  STEP(op, reg) : LOOP { \
    const type x = get(file[a][e]); \
    const type y = get(file[b][e]); \
    file[d][e] = put(expression); \
  } break;
#define COMPARE(op, reg, type, file, get, sign) \
  STEP(op, reg) : LOOP I[d][e] = get(file[a][e]) sign get(file[b][e]) ? 1 : 0; break;
#define SELECT(reg, file) \
  STEP(Select, reg) : LOOP file[d][e] = I[a][e] != 0 ? file[b][e] : file[c][e]; break;
// Lanes of a tile into those of the accumulator, and lane 0 of that from all.
#define REDUCE(op, reg, type, file, get, put, expression) \
  STEP(op, reg) : \
    if (count == LANES) { \
      LOOP { \
        const type x = get(file[d][e]); \
        const type y = get(file[a][e]); \
        file[d][e] = put(expression); \
      } \
    } else { \
      for (int e = 0; e < count; ++e) { \
        const type x = get(file[d][e]); \
        const type y = get(file[a][e]); \
        file[d][e] = put(expression); \
      } \
    } \
    break; \
  case FOLD_BASE + Op_##op * 8 + Reg_##reg : { \
    type x = get(file[d][0]); \
    for (int e = 1; e < LANES; ++e) { \
      const type y = get(file[d][e]); \
      x = (expression); \
    } \
    LOOP file[d][e] = put(x); \
  } break;
// c: where the running value is kept.
#define SCAN(op, reg, type, file, get, put, expression) \
  STEP(op, reg) : { \
    type x = get(file[c][0]); \
    for (int e = 0; e < count; ++e) { \
      const type y = get(file[a][e]); \
      x = (expression); \
      file[d][e] = put(x); \
    } \
    file[c][0] = put(x); \
  } break;
// c: where the best element so far is kept; d: its index, below 0 before there is one.
#define ARG(op, reg, type, file, get, sign) \
  STEP(op, reg) : \
    for (int e = 0; e < count; ++e) { \
      const type x = get(file[a][e]); \
      const type best = get(file[c][0]); \
      if ((long)L[d][0] < 0 || x sign best || (x != x && best == best)) { \
        file[c][0] = file[a][e]; \
        L[d][0] = (ulong)(at + e); \
      } \
    } \
    break;

// Every instruction that all numbers have.
#define NUMBERS(reg, type, file, get, put, add, mul) \
  BINARY(Add, reg, type, file, get, put, add) \
  BINARY(Mul, reg, type, file, get, put, mul) \
  BINARY(Min, reg, type, file, get, put, MIN_OF(x, y)) \
  BINARY(Max, reg, type, file, get, put, MAX_OF(x, y)) \
  COMPARE(Equal, reg, type, file, get, ==) \
  COMPARE(NotEqual, reg, type, file, get, !=) \
  COMPARE(Lower, reg, type, file, get, <) \
  COMPARE(LowerEqual, reg, type, file, get, <=) \
  SELECT(reg, file) \
  REDUCE(ReduceSum, reg, type, file, get, put, add) \
  REDUCE(ReduceProd, reg, type, file, get, put, mul) \
  REDUCE(ReduceMax, reg, type, file, get, put, MAX_OF(x, y)) \
  REDUCE(ReduceMin, reg, type, file, get, put, MIN_OF(x, y)) \
  ARG(ReduceArgMax, reg, type, file, get, >) \
  ARG(ReduceArgMin, reg, type, file, get, <) \
  SCAN(ScanSum, reg, type, file, get, put, add) \
  SCAN(ScanProd, reg, type, file, get, put, mul) \
  SCAN(ScanMax, reg, type, file, get, put, (y > x || y != y ? y : x)) \
  SCAN(ScanMin, reg, type, file, get, put, (y < x || y != y ? y : x))

#define FLOATS(reg, type, file, suffix) \
  NUMBERS(reg, type, file, , , x + y, x * y) \
  BINARY(Sub, reg, type, file, , , x - y) \
  BINARY(Rem, reg, type, file, , , rem_##suffix(x, y)) \
  BINARY(Pow, reg, type, file, , , pow(x, y)) \
  BINARY(Atan2, reg, type, file, , , atan2(x, y)) \
  BINARY(Hypot, reg, type, file, , , hypot(x, y)) \
  UNARY(Neg, reg, type, file, , , neg_##suffix(x)) \
  UNARY(Abs, reg, type, file, , , abs_##suffix(x)) \
  UNARY(Floor, reg, type, file, , , floor(x)) \
  UNARY(Ceil, reg, type, file, , , ceil(x)) \
  UNARY(Trunc, reg, type, file, , , trunc(x)) \
  UNARY(RoundEven, reg, type, file, , , rint(x)) \
  UNARY(Exp, reg, type, file, , , exp(x)) \
  UNARY(Log, reg, type, file, , , log(x)) \
  UNARY(Tanh, reg, type, file, , , tanh_##suffix(x)) \
  UNARY(Erf, reg, type, file, , , erf(x)) \
  UNARY(Log1p, reg, type, file, , , log1p(x)) \
  UNARY(Sin, reg, type, file, , , sin(x)) \
  UNARY(Cos, reg, type, file, , , cos(x)) \
  UNARY(Tan, reg, type, file, , , tan(x)) \
  UNARY(Sinh, reg, type, file, , , sinh(x)) \
  UNARY(Cosh, reg, type, file, , , cosh(x)) \
  UNARY(Asin, reg, type, file, , , asin(x)) \
  UNARY(Acos, reg, type, file, , , acos(x)) \
  UNARY(Atan, reg, type, file, , , atan(x)) \
  UNARY(Asinh, reg, type, file, , , asinh(x)) \
  UNARY(Acosh, reg, type, file, , , acosh(x)) \
  UNARY(Atanh, reg, type, file, , , atanh(x))

// Sums and products of signed ints wrap, so they are taken unsigned.
#define INTS(reg, type, bits, file, suffix) \
  NUMBERS(reg, type, file, (type), (bits), (type)((bits)x + (bits)y), (type)((bits)x * (bits)y)) \
  BINARY(Sub, reg, bits, file, , , x - y) \
  BINARY(And, reg, bits, file, , , x & y) \
  BINARY(Or, reg, bits, file, , , x | y) \
  BINARY(Xor, reg, bits, file, , , x ^ y) \
  UNARY(Not, reg, bits, file, , , ~x) \
  UNARY(Neg, reg, bits, file, , , (bits)0 - x) \
  UNARY(Wrap8, reg, bits, file, , , (bits)(type)(suffix##8)x) \
  UNARY(Wrap16, reg, bits, file, , , (bits)(type)(suffix##16)x) \
  STEP(ShiftLeft, reg) : LOOP file[d][e] = file[a][e] << (file[b][e] & (bits)(imm - 1)); break; \
  STEP(ShiftRight, reg) : \
    LOOP file[d][e] = (bits)((type)file[a][e] >> (file[b][e] & (bits)(imm - 1))); break; \
  STEP(Powi, reg) : LOOP { \
    const type x = (type)file[a][e]; \
    file[d][e] = (bits)power((ulong)x, (long)L[b][e], x == 1, (type)-1 < 0 && x == (type)-1); \
  } break;

#define CONVERT(from, to, file_from, file_to, expression_of_x, type) \
  case CONVERT_BASE + Reg_##from * 8 + Reg_##to : LOOP { \
    const type x = (type)file_from[a][e]; \
    file_to[d][e] = (expression_of_x); \
  } break;
// Between ints: modulo. From ints to f32: one rounding. To mask: != 0.
#define CONVERT_INT(reg, type, file) \
  CONVERT(reg, I32, file, I, (uint)x, type) \
  CONVERT(reg, U32, file, I, (uint)x, type) \
  CONVERT(reg, I64, file, L, (ulong)x, type) \
  CONVERT(reg, U64, file, L, (ulong)x, type) \
  CONVERT(reg, Mask, file, I, x != 0 ? 1u : 0u, type) \
  CONVERT(reg, F32, file, F, (float)x, type)
#define CONVERT_FLOAT(reg, type, file) \
  CONVERT(reg, I32, file, I, (uint)TO_SIGNED(x, int, 0x1p31f, INT_MIN, INT_MAX), type) \
  CONVERT(reg, U32, file, I, TO_UNSIGNED(x, uint, 0x1p32f, UINT_MAX), type) \
  CONVERT(reg, I64, file, L, (ulong)TO_SIGNED(x, long, 0x1p63f, LONG_MIN, LONG_MAX), type) \
  CONVERT(reg, U64, file, L, TO_UNSIGNED(x, ulong, 0x1p64f, ULONG_MAX), type) \
  CONVERT(reg, Mask, file, I, x != 0 ? 1u : 0u, type)

#define LOAD(dtype, file, type, expression_of_x) \
  case LOAD_BASE + Dtype_##dtype : LOOP { \
    if (place[e] >= 0) { \
      const type x = ((__global const type*)heap)[place[e]]; \
      file[d][e] = (expression_of_x); \
    } else { \
      file[d][e] = 0; \
    } \
  } break;
#define STORE(dtype, file, type, expression_of_x) \
  case STORE_BASE + Dtype_##dtype : \
    for (int e = 0; e < count; ++e) { \
      ((__global type*)heap)[place[e]] = (expression_of_x); \
    } \
    break;
#define X(file) file[a][e]

// Values that a later phase uses wait in the row buffer, 8 bytes each.
#define SPILL(reg, file, type) \
  case Control_Spill##reg : \
    for (int e = 0; e < count; ++e) { \
      *(__global type*)(scratch + 8 * (imm * row + at + e)) = file[a][e]; \
    } \
    break; \
  case Control_Fill##reg : \
    LOOP file[d][e] = e < count ? *(__global type*)(scratch + 8 * (imm * row + at + e)) : 0; \
    break;

#define PARAMETER launch[launch[Header_Parameters] + imm]

typedef char signed_8;
typedef short signed_16;
typedef uchar unsigned_8;
typedef ushort unsigned_16;
typedef __global const long* Words;

// The element offset that digits of `linear` give with the strides in `at`.
inline long strided(Words access, int at, uint linear) {
  const int rank = (int)access[Access_Rank];
  if (rank == 0) return 0;
  if (rank == 1) return (long)linear * access[at];
  long offset = 0;
  uint rest = linear;
  for (int k = rank - 1; k > 0; --k) {
    const uint extent = (uint)access[Access_Extents + k];
    const uint quotient = rest / extent;
    offset += (long)(rest - quotient * extent) * access[at + k];
    rest = quotient;
  }
  return offset + (long)rest * access[at];
}

inline Words access_at(Words launch, long number) {
  return launch + launch[Header_Accesses] + number * ACCESS_WORDS;
}

// What an item found wrong first: source, position, index, bound.
typedef struct {
  long source, position, index, bound;
} Wrong;

// Where an element lies, in elements from the start of the heap; below 0: nowhere.
inline long place_of(__global uchar* heap, Words launch, Words access, uint linear,
                     Wrong* wrong) {
  const long kind = access[Access_Kind];
  if (kind == Map_Table) {
    return access[Access_Offset] + launch[access[Access_Table] + linear];
  }
  const long offset = access[Access_Offset] + strided(access, Access_Strides, linear);
  if (kind != Map_Indirect) return offset;
  Words by = access_at(launch, access[Access_Index]);
  const long where = by[Access_Offset] + (by[Access_Kind] == Map_Table
                                              ? launch[by[Access_Table] + linear]
                                              : strided(by, Access_Strides, linear));
  const long index = by[Access_Width] == 4 ? (long)((__global const int*)heap)[where]
                                           : ((__global const long*)heap)[where];
  const long bound = access[Access_IndexBound];
  if (index >= 0 && index < bound) return offset + index * access[Access_IndexStride];
  const long position = strided(access, Access_Positions, linear);
  const long source = access[Access_Source];
  if (wrong->source < 0 || source < wrong->source ||
      (source == wrong->source && position < wrong->position)) {
    wrong->source = source;
    wrong->position = position;
    wrong->index = index;
    wrong->bound = bound;
  }
  return bound == 0 ? -1 : offset;
}

// The access that element `linear` is read through.
inline Words leaf_of(Words launch, Words access, uint linear) {
  if (access[Access_Kind] != Map_Pieces) return access;
  Words starts = launch + access[Access_Table];
  const long pieces = access[Access_Pieces];
  const long at = linear / (uint)access[Access_Inner] % (uint)starts[pieces];
  long low = 0;
  long high = pieces;  // starts[low] <= at < starts[high]
  while (high - low > 1) {
    const long middle = (low + high) / 2;
    if (starts[middle] <= at) {
      low = middle;
    } else {
      high = middle;
    }
  }
  // Pieces of no elements begin where the next one does: the last that begins there has it.
  return access_at(launch, starts[pieces + 1 + low]);
}

__kernel void run_block(__global uchar* heap, Words launch, __global long* errors) {
  const long item = (long)get_global_id(0);
  if (item >= launch[Header_Items]) return;
  const long first = item * launch[Header_Chunk];
  const long last = min(first + launch[Header_Chunk], launch[Header_Units]);
  const bool rows = launch[Header_HasRow] != 0;
  const long row = launch[Header_Row];
  __global uchar* scratch = heap + launch[Header_Scratch] + item * launch[Header_ScratchStride];
  Words code = launch + launch[Header_Code];

  float F[FILE_F32][LANES];
#ifdef FP64
  double D[FILE_F64][LANES];
#endif
  uint I[FILE_I32][LANES];
  ulong L[FILE_I64][LANES];
  Wrong wrong = {-1, 0, 0, 0};

  long unit = first;     // the row under way
  long at = 0;           // of the tile's first element in its row; without rows, in everything
  long limit = last;     // where tiles end
  long base_linear = 0;  // of the tile's first element
  int step = 1;          // linear from lane to lane: 0 in row phases, whose lanes are all one
  int count = LANES;     // lanes that stand for elements

  for (long pc = 0;; ++pc) {
    Words it = code + pc * STEP_WORDS;
    const ulong packed = (ulong)it[0];
    const uint op = (uint)(packed & 0xffff);
    const uint d = (uint)(packed >> 16) & 0xffff;
    const uint a = (uint)(packed >> 32) & 0xffff;
    const uint b = (uint)(packed >> 48);
    const long imm = it[1];
    const uint c = (uint)it[2];

    long place[LANES];  // of the elements that a load or a store is about
    if (op >= LOAD_BASE && op < ACCESS_END) {
      Words access = access_at(launch, (long)(op < STORE_BASE ? a : b));
      if (access[Access_Kind] == Map_Strided && access[Access_Rank] <= 1) {
        const long stride = access[Access_Rank] == 0 ? 0 : access[Access_Strides];
        const long start = access[Access_Offset] + base_linear * stride;
        LOOP place[e] = step == 0 ? start : e < count ? start + e * stride : -1;
      } else {
        LOOP place[e] = -1;
        for (int e = 0; e < count; ++e) {
          const uint linear = (uint)(base_linear + e);
          place[e] = place_of(heap, launch, leaf_of(launch, access, linear), linear, &wrong);
        }
        if (step == 0) LOOP place[e] = place[0];
      }
    }

    switch (op) {
      // ------------------------------------------------------------------------------- control
      case Control_BeginTiles:
        at = rows ? 0 : first;
        limit = rows ? row : last;
        base_linear = rows ? unit * row : first;
        step = 1;
        count = (int)min((long)LANES, limit - at);
        if (at >= limit) pc = imm - 1;
        break;
      case Control_NextTile:
        at += LANES;
        base_linear += LANES;
        if (at < limit) {
          count = (int)min((long)LANES, limit - at);
          pc = imm - 1;
        }
        break;
      case Control_RowPhase:
        base_linear = unit;
        step = 0;
        count = 1;
        break;
      case Control_NextUnit:
        if (rows && ++unit < last) {
          pc = imm - 1;
          break;
        }
        if (errors != 0) {
          errors[4 * item] = wrong.source;
          errors[4 * item + 1] = wrong.position;
          errors[4 * item + 2] = wrong.index;
          errors[4 * item + 3] = wrong.bound;
        }
        return;
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
    }
  }
}
