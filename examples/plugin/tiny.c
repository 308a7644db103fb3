/* Copyright The Faultline Authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* A backend of ten ops on f32 tensors as a Faultline plug-in, and the fault that the tutorial finds
 * in it. Each op runs when it is applied; a handle is a pointer to a tensor. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/backend/plugin/plugin.h"

typedef struct tensor {
  faultline_type type;
  int64_t count;
  float data[];
} tensor;

typedef struct session {
  int64_t handles, bytes;
} session;

static faultline_status fail(faultline_status status, faultline_message message, const char* text) {
  snprintf(message.text, message.size, "%s", text);
  return status;
}

static int64_t count_of(const faultline_type* type) {
  int64_t count = 1;
  for (int i = 0; i < type->rank; ++i) count *= type->extents[i];
  return count;
}

static tensor* new_tensor(session* s, const faultline_type* type) {
  const int64_t count = count_of(type);
  tensor* t = malloc(sizeof(tensor) + (size_t)count * sizeof(float));
  if (t == NULL) return NULL;
  t->type = *type;
  t->count = count;
  s->handles += 1;
  s->bytes += count * (int64_t)sizeof(float);
  return t;
}

static int same_shape(const faultline_type* a, const faultline_type* b) {
  if (a->rank != b->rank) return 0;
  for (int i = 0; i < a->rank; ++i) {
    if (a->extents[i] != b->extents[i]) return 0;
  }
  return 1;
}

static int64_t attribute(const faultline_application* a, const char* name, int at) {
  for (int i = 0; i < a->attribute_count; ++i) {
    if (strcmp(a->attributes[i].name, name) == 0) return a->attributes[i].values[at];
  }
  return 0;
}

/* One number per op, so that `supports` and `apply` agree by construction. */
enum { ADD, SUB, MUL, MAXIMUM, NEG, ABS, RELU, SUM_DIM, SWAP_DIMS, MATMUL, UNKNOWN };

static int op_of(const char* name) {
  static const char* const names[] = {"add", "sub",  "mul",     "maximum",   "neg",
                                      "abs", "relu", "sum_dim", "swap_dims", "matmul"};
  for (int op = 0; op < UNKNOWN; ++op) {
    if (strcmp(names[op], name) == 0) return op;
  }
  return UNKNOWN;
}

static faultline_status supports(const faultline_application* a, faultline_message reason) {
  const int op = op_of(a->op);
  if (op == UNKNOWN) return fail(FAULTLINE_UNSUPPORTED, reason, "no such op here");
  for (int i = 0; i < a->operand_count; ++i) {
    if (a->operand_types[i].dtype != FAULTLINE_F32) {
      return fail(FAULTLINE_UNSUPPORTED, reason, "f32 only");
    }
  }
  if (op <= MAXIMUM && !same_shape(&a->operand_types[0], &a->operand_types[1])) {
    return fail(FAULTLINE_UNSUPPORTED, reason, "no broadcasting");
  }
  if (op == MATMUL && (a->operand_types[0].rank != 2 || a->operand_types[1].rank != 2)) {
    return fail(FAULTLINE_UNSUPPORTED, reason, "matrices only");
  }
  return FAULTLINE_OK;
}

static float binary(int op, float x, float y) {
  switch (op) {
    case ADD: return x + y;
    case SUB: return x - y;
    case MUL: return x * y;
    default: return isnan(x) || x > y ? x : y;
  }
}

static float unary(int op, float x) {
  switch (op) {
    case NEG: return -x;
    case ABS: return fabsf(x);
    default: return x < 0 ? 0 : x;
  }
}

/* Four running sums, as a vectorised loop would keep. The fault: of three left over, one is lost. */
static float sum_row(const float* x, int64_t n, int64_t stride) {
  float lanes[4] = {0, 0, 0, 0};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int lane = 0; lane < 4; ++lane) lanes[lane] += x[(i + lane) * stride];
  }
  const int64_t left = n - i;
  if (left >= 1) lanes[0] += x[i * stride];
  if (left == 2) lanes[1] += x[(i + 1) * stride];
  if (left == 3) lanes[2] += x[(i + 2) * stride];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

/* An axis with the product of the extents before and behind it. */
typedef struct split {
  int64_t outer, extent, inner;
} split;

static split split_at(const faultline_type* type, int64_t axis) {
  split s = {1, type->extents[axis], 1};
  for (int i = 0; i < axis; ++i) s.outer *= type->extents[i];
  for (int i = (int)axis + 1; i < type->rank; ++i) s.inner *= type->extents[i];
  return s;
}

static void sum_dim(const tensor* x, int64_t dim, tensor* y) {
  const split s = split_at(&x->type, dim);
  for (int64_t o = 0; o < s.outer; ++o) {
    for (int64_t i = 0; i < s.inner; ++i) {
      y->data[o * s.inner + i] = sum_row(&x->data[o * s.extent * s.inner + i], s.extent, s.inner);
    }
  }
}

static void swap_dims(const tensor* x, int64_t a, int64_t b, tensor* y) {
  int64_t index[FAULTLINE_RANK_MAX] = {0}, stride[FAULTLINE_RANK_MAX], step = 1;
  for (int i = x->type.rank - 1; i >= 0; --i) {
    stride[i] = step;
    step *= x->type.extents[i];
  }
  const int64_t swap = stride[a];
  stride[a] = stride[b];
  stride[b] = swap;
  for (int64_t out = 0; out < y->count; ++out) {
    int64_t at = 0;
    for (int i = 0; i < y->type.rank; ++i) at += index[i] * stride[i];
    y->data[out] = x->data[at];
    for (int i = y->type.rank - 1; i >= 0 && ++index[i] == y->type.extents[i]; --i) index[i] = 0;
  }
}

static void matmul(const tensor* a, const tensor* b, tensor* y) {
  const int64_t n = y->type.extents[0], m = y->type.extents[1], k = a->type.extents[1];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l) sum += a->data[i * k + l] * b->data[l * m + j];
      y->data[i * m + j] = sum;
    }
  }
}

static faultline_status apply(void* self, const faultline_application* a, uint64_t* results,
                              faultline_message message) {
  const int op = op_of(a->op);
  const tensor* x = (const tensor*)(uintptr_t)a->operands[0];
  const tensor* z = a->operand_count > 1 ? (const tensor*)(uintptr_t)a->operands[1] : NULL;
  tensor* y = new_tensor(self, &a->result_types[0]);
  if (y == NULL) return fail(FAULTLINE_OUT_OF_MEMORY, message, "no memory for the result");
  if (op == SUM_DIM) {
    sum_dim(x, attribute(a, "dim", 0), y);
  } else if (op == SWAP_DIMS) {
    swap_dims(x, attribute(a, "dims", 0), attribute(a, "dims", 1), y);
  } else if (op == MATMUL) {
    matmul(x, z, y);
  } else {
    for (int64_t i = 0; i < y->count; ++i) {
      y->data[i] = op <= MAXIMUM ? binary(op, x->data[i], z->data[i]) : unary(op, x->data[i]);
    }
  }
  results[0] = (uint64_t)(uintptr_t)y;
  return FAULTLINE_OK;
}

static faultline_status create(void* self, const faultline_type* type, const void* bytes,
                               size_t size, uint64_t* handle, faultline_message message) {
  if (type->dtype != FAULTLINE_F32) return fail(FAULTLINE_UNSUPPORTED, message, "f32 only");
  tensor* t = new_tensor(self, type);
  if (t == NULL) return fail(FAULTLINE_OUT_OF_MEMORY, message, "no memory for the input");
  memcpy(t->data, bytes, size);
  *handle = (uint64_t)(uintptr_t)t;
  return FAULTLINE_OK;
}

static faultline_status drop(void* self, uint64_t handle, faultline_message message) {
  (void)message;
  session* s = self;
  tensor* t = (tensor*)(uintptr_t)handle;
  s->handles -= 1;
  s->bytes -= t->count * (int64_t)sizeof(float);
  free(t);
  return FAULTLINE_OK;
}

static faultline_status read_all(void* self, const uint64_t* handles, int32_t count,
                                 void* const* buffers, const size_t* sizes,
                                 faultline_message message) {
  (void)self, (void)message;
  for (int32_t i = 0; i < count; ++i) {
    memcpy(buffers[i], ((const tensor*)(uintptr_t)handles[i])->data, sizes[i]);
  }
  return FAULTLINE_OK;
}

static faultline_status open_session(int threads, void** self, faultline_message message) {
  (void)threads;
  *self = calloc(1, sizeof(session));
  return *self != NULL ? FAULTLINE_OK : fail(FAULTLINE_OUT_OF_MEMORY, message, "no memory");
}

static void live(void* self, int64_t* handles, int64_t* bytes) {
  const session* s = self;
  *handles = s->handles;
  *bytes = s->bytes;
}

const faultline_plugin* faultline_plugin_v1(void);

const faultline_plugin* faultline_plugin_v1(void) {
  static const faultline_plugin plugin = {.abi = FAULTLINE_PLUGIN_ABI,
                                          .name = "tiny",
                                          .open = open_session,
                                          .close = free,
                                          .supports = supports,
                                          .create = create,
                                          .apply = apply,
                                          .drop = drop,
                                          .read = read_all,
                                          .live = live};
  return &plugin;
}
