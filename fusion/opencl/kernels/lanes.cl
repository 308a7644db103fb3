// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a step of a block's program does to the lanes of a tile, as macros that steps.cl is written
// with, and where the elements of an access lie. Registers are private arrays of LANES elements,
// one file for each kind of value, so that no memory is read as another type than it was written
// as: F, D, I (ints and masks, unsigned) and L. Beside them steps use the operands d, a, b, c and
// imm, and of the tile count (lanes that stand for elements), at (of lane 0 in its row) and place (of
// the elements of an access, below 0 where there is none; sure: there is one in every lane).

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
    if (sure || place[e] >= 0) { \
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

// Places of a tile's elements in access `number`. In row phases `step` is 0: all lanes are one.
inline void find_places(__global uchar* heap, Words launch, long number, long base_linear,
                        int step, int count, long* place, Wrong* wrong) {
  Words access = access_at(launch, number);
  if (access[Access_Kind] == Map_Strided && access[Access_Rank] <= 1) {
    const long stride = access[Access_Rank] == 0 ? 0 : access[Access_Strides];
    const long start = access[Access_Offset] + base_linear * stride;
    LOOP place[e] = step == 0 ? start : e < count ? start + e * stride : -1;
    return;
  }
  LOOP place[e] = -1;
  for (int e = 0; e < count; ++e) {
    const uint linear = (uint)(base_linear + e);
    place[e] = place_of(heap, launch, leaf_of(launch, access, linear), linear, wrong);
  }
  if (step == 0) LOOP place[e] = place[0];
}

// What every kernel begins with: the share of this work item, and registers.
#define BEGIN_ITEM \
  const long item = (long)get_global_id(0); \
  if (item >= launch[Header_Items]) return; \
  const long first = item * launch[Header_Chunk]; \
  const long last = min(first + launch[Header_Chunk], launch[Header_Units]); \
  const bool rows = launch[Header_HasRow] != 0; \
  const long row = launch[Header_Row]; \
  __global uchar* scratch = heap + launch[Header_Scratch] + item * launch[Header_ScratchStride]; \
  float F[FILE_F32][LANES]; \
  F64_FILE \
  uint I[FILE_I32][LANES]; \
  ulong L[FILE_I64][LANES]; \
  long place[LANES]; \
  Wrong wrong = {-1, 0, 0, 0};
#ifdef FP64
#define F64_FILE double D[FILE_F64][LANES];
#else
#define F64_FILE
#endif

#define END_ITEM \
  if (errors != 0) { \
    errors[4 * item] = wrong.source; \
    errors[4 * item + 1] = wrong.position; \
    errors[4 * item + 2] = wrong.index; \
    errors[4 * item + 3] = wrong.bound; \
  }
