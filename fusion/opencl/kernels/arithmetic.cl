// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The pinned arithmetic that OpenCL C leaves open: minima with NaN, remainders, saturating casts,
// rounding to narrow floats, integers that wrap and divide by zero. One element at a time; what
// calls it loops. With FP64 for devices that have f64.

#pragma OPENCL FP_CONTRACT OFF
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

// ---------------------------------------------------------------------------------------- floats

// The first operand where it is beyond or NaN; else the second, which may be NaN.
#define MIN_OF(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#define MAX_OF(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))

#if defined(DIVIDES_CORRECTLY)
inline float div_f32(float x, float y) { return x / y; }
inline float sqrt_f32(float x) { return sqrt(x); }
#elif defined(FP64)
// 53 bits are more than twice 24 and 2: the second rounding changes nothing.
inline float div_f32(float x, float y) { return (float)((double)x / (double)y); }
inline float sqrt_f32(float x) { return (float)sqrt((double)x); }
#else
// The contract says how far off.
inline float div_f32(float x, float y) { return x / y; }
inline float sqrt_f32(float x) { return sqrt(x); }
#endif

inline float neg_f32(float x) { return as_float(as_uint(x) ^ 0x80000000u); }
inline float abs_f32(float x) { return as_float(as_uint(x) & 0x7fffffffu); }

// fmod is exact, so moving it to the divisor's side is the one rounding.
inline float rem_f32(float x, float y) {
  const float r = fmod(x, y);
  if (r == 0) return as_float(as_uint(y) & 0x80000000u);
  return (r < 0) != (y < 0) ? r + y : r;
}

// Beyond these tanh rounds to 1 or -1, which PoCL 3.1 misses by a place, at infinity too.
inline float tanh_f32(float x) { return fabs(x) > 10 ? copysign(1.0f, x) : tanh(x); }
#ifdef FP64
inline double tanh_f64(double x) { return fabs(x) > 20 ? copysign(1.0, x) : tanh(x); }
#endif

// To the nearest value with `mantissa` explicit bits and exponents from `least` (of the least
// normal) to `greatest`, ties to even, overflow to infinity. NaN stays NaN, made quiet.
inline float round_f32(float x, int mantissa, int least, int greatest) {
  const uint all = as_uint(x);
  const uint sign = all & 0x80000000u;
  const uint bits = all & 0x7fffffffu;
  if (bits > 0x7f800000u) return as_float(all | 0x400000u);
  const int exponent = (int)(bits >> 23) - 127;
  int drop = 23 - mantissa;
  if (exponent < least && least > -126) {
    // Below the least normal the grid stays as it is there.
    drop += least - exponent;
    if (drop > 24) return as_float(sign);
    // The implicit bit counts too, and a carry may reach the exponent of the least subnormals.
    const uint value = (bits & 0x7fffffu) | 0x800000u;
    const uint half_less = (1u << (drop - 1)) - 1;
    const uint steps = (value + half_less + ((value >> drop) & 1u)) >> drop;
    const float quantum = as_float((uint)(127 + least - mantissa) << 23);
    return as_float(as_uint((float)steps * quantum) | sign);
  }
  uint rounded = bits + ((1u << (drop - 1)) - 1) + ((bits >> drop) & 1u);
  rounded &= ~((1u << drop) - 1);
  if (rounded >= (uint)(127 + greatest + 1) << 23) rounded = 0x7f800000u;
  return as_float(rounded | sign);
}
#define ROUND_F16_F32(x) round_f32(x, 10, -14, 15)
#define ROUND_BF16_F32(x) round_f32(x, 7, -126, 127)

#ifdef FP64
inline double neg_f64(double x) { return as_double(as_ulong(x) ^ 0x8000000000000000ul); }
inline double abs_f64(double x) { return as_double(as_ulong(x) & 0x7ffffffffffffffful); }

inline double rem_f64(double x, double y) {
  const double r = fmod(x, y);
  if (r == 0) return as_double(as_ulong(y) & 0x8000000000000000ul);
  return (r < 0) != (y < 0) ? r + y : r;
}

inline double round_f64(double x, int mantissa, int least, int greatest) {
  const ulong all = as_ulong(x);
  const ulong sign = all & 0x8000000000000000ul;
  const ulong bits = all & 0x7ffffffffffffffful;
  if (bits > 0x7ff0000000000000ul) return as_double(all | 0x8000000000000ul);
  const int exponent = (int)(bits >> 52) - 1023;
  int drop = 52 - mantissa;
  if (exponent < least) {
    drop += least - exponent;
    if (drop > 53) return as_double(sign);
    const ulong value = (bits & 0xffffffffffffful) | 0x10000000000000ul;
    const ulong half_less = (1ul << (drop - 1)) - 1;
    const ulong steps = (value + half_less + ((value >> drop) & 1ul)) >> drop;
    const double quantum = as_double((ulong)(1023 + least - mantissa) << 52);
    return as_double(as_ulong((double)steps * quantum) | sign);
  }
  ulong rounded = bits + ((1ul << (drop - 1)) - 1) + ((bits >> drop) & 1ul);
  rounded &= ~((1ul << drop) - 1);
  if (rounded >= (ulong)(1023 + greatest + 1) << 52) rounded = 0x7ff0000000000000ul;
  return as_double(rounded | sign);
}
#define ROUND_F16_F64(x) round_f64(x, 10, -14, 15)
#define ROUND_BF16_F64(x) round_f64(x, 7, -126, 127)
#endif

// Storage of narrow floats, bit by bit: loads and stores are also how movement is done.
inline float widen_f16(ushort h) {
  const uint magnitude = h & 0x7fffu;
  const uint sign = (uint)(h & 0x8000u) << 16;
  if (magnitude < 0x400u) return as_float(as_uint((float)magnitude * 0x1p-24f) | sign);
  const uint rebias = magnitude >= 0x7c00u ? 224u << 23 : 112u << 23;
  return as_float(((magnitude << 13) + rebias) | sign);
}

// Of a value that f16 has.
inline ushort narrow_f16(float x) {
  const uint all = as_uint(x);
  const uint magnitude = all & 0x7fffffffu;
  const uint sign = (all >> 16) & 0x8000u;
  if (magnitude >= 0x7f800000u) return (ushort)(((magnitude & 0x7fffffu) >> 13) | 0x7c00u | sign);
  if (magnitude < 0x38800000u) return (ushort)((uint)(as_float(magnitude) * 0x1p24f) | sign);
  return (ushort)(((magnitude - (112u << 23)) >> 13) | sign);
}

// ---------------------------------------------------------------------------------- float to int

// Truncates, saturates; NaN gives 0. `end` is the power of two just beyond the range.
#define TO_SIGNED(x, type, end, least, greatest) \
  ((x) >= (end) ? (greatest) : (x) < -(end) ? (least) : (x) != (x) ? (type)0 : (type)(x))
#define TO_UNSIGNED(x, type, end, greatest) \
  ((x) >= (end) ? (greatest) : (x) > 0 ? (type)(x) : (type)0)

// ------------------------------------------------------------------------------------------ ints

// x/0 is all bits set; the least divided by -1 is itself.
#define DIV_SIGNED(x, y, type, bits) \
  ((y) == 0 ? (type)-1 : (y) == -1 ? (type)((bits)0 - (bits)(x)) : (x) / (y))
#define DIV_UNSIGNED(x, y, type) ((y) == 0 ? ~(type)0 : (x) / (y))
#define REM_UNSIGNED(x, y) ((y) == 0 ? (x) : (x) % (y))
inline int rem_i32(int x, int y) {
  if (y == 0) return x;
  if (y == -1) return 0;
  const int r = x % y;
  return r != 0 && (r ^ y) < 0 ? r + y : r;
}
inline long rem_i64(long x, long y) {
  if (y == 0) return x;
  if (y == -1) return 0;
  const long r = x % y;
  return r != 0 && (r ^ y) < 0 ? r + y : r;
}

// Below 0 only 1 and -1 have powers other than 0.
inline ulong power(ulong base, long n, int is_one, int is_minus_one) {
  if (n < 0) return is_one ? 1 : is_minus_one ? (n % 2 == 0 ? 1 : ~0ul) : 0;
  ulong result = 1;
  for (; n != 0; n >>= 1, base *= base) {
    if ((n & 1) != 0) result *= base;
  }
  return result;
}

#ifdef FP64
// To f64 with the last bit set where something was lost.
inline double convert_odd(ulong magnitude, int negative) {
  double result = (double)magnitude;
  if ((magnitude >> 53) != 0) {
    const ulong sticky = (magnitude >> 11) | ((magnitude & 0x7fful) != 0 ? 1ul : 0ul);
    result = (double)sticky * 2048.0;
  }
  return negative ? -result : result;
}

// The pinned cases, else the power with the sign of an odd one. f64 holds every exponent that
// matters to f32: beyond 2^53 the power of anything but 1 is 0 or infinite.
inline float powi_f32(float x, long n) {
  if (n == 0) return 1;
  if (n == 1) return x;
  if (n == 2) return x * x;
  if (n == -1) return div_f32(1, x);
  const float magnitude = (float)pow((double)abs_f32(x), (double)n);
  return (n & 1) != 0 ? as_float(as_uint(magnitude) | (as_uint(x) & 0x80000000u)) : magnitude;
}
#endif
