/* Copyright The Faultline Authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* The plug-in interface: a tensor backend as a shared library with one exported function,
 *
 *     const faultline_plugin* faultline_plugin_v1(void);
 *
 * given to any command with `--backend ./libmine.so`. C99, no dependency. examples/plugin is a
 * complete one.
 *
 * Laws (checked by `faultline conformance`): every call returns a status and never ends the
 * process; `read` is all or nothing; after every handle is dropped nothing is alive; a session is
 * used by one thread at a time. */

#ifndef HARNESS_BACKEND_PLUGIN_PLUGIN_H_
#define HARNESS_BACKEND_PLUGIN_PLUGIN_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAULTLINE_PLUGIN_ABI 1
#define FAULTLINE_RANK_MAX 8

typedef enum faultline_dtype {
  FAULTLINE_F64,
  FAULTLINE_F32,
  FAULTLINE_F16,
  FAULTLINE_BF16,
  FAULTLINE_I64,
  FAULTLINE_I32,
  FAULTLINE_I16,
  FAULTLINE_I8,
  FAULTLINE_U64,
  FAULTLINE_U32,
  FAULTLINE_U16,
  FAULTLINE_U8,
  FAULTLINE_BOOL, /* one byte, 0 or 1 */
  FAULTLINE_QUANTIZED
} faultline_dtype;

typedef enum faultline_status {
  FAULTLINE_OK,
  FAULTLINE_INVALID,            /* a misused call */
  FAULTLINE_INDEX_OUT_OF_RANGE, /* an index operand outside its axis */
  FAULTLINE_OUT_OF_MEMORY,
  FAULTLINE_UNSUPPORTED,
  FAULTLINE_DEVICE_LOST,
  FAULTLINE_INTERNAL
} faultline_status;

typedef struct faultline_type {
  faultline_dtype dtype;
  const char* scheme; /* FAULTLINE_QUANTIZED: its text form, "q8s<block=[4]>"; else NULL */
  int32_t rank;
  int64_t extents[FAULTLINE_RANK_MAX]; /* outermost first */
} faultline_type;

/* A list of integers by name: dim, axes, slices (start, stop, step an axis), ... Words and booleans
 * are numbered as the op table's documentation spells them. */
typedef struct faultline_attribute {
  const char* name;
  int32_t count;
  const int64_t* values;
} faultline_attribute;

/* Raw bits of one element of the dtype. */
typedef struct faultline_scalar {
  faultline_dtype dtype;
  uint64_t bits;
} faultline_scalar;

typedef struct faultline_application {
  const char* op; /* mnemonic: "add", "sum_dim", ... */
  int32_t operand_count;
  const faultline_type* operand_types;
  const uint64_t* operands; /* handles; NULL when `supports` is asked */
  int32_t scalar_count;
  const faultline_scalar* scalars; /* absent when `supports` is asked */
  int32_t attribute_count;
  const faultline_attribute* attributes;
  int32_t result_count;
  const faultline_type* result_types;
} faultline_application;

/* Where a message for people goes: at most `size` bytes with the final zero. */
typedef struct faultline_message {
  char* text;
  size_t size;
} faultline_message;

/* Functions marked optional may be NULL. Tensors cross the interface as row-major elements,
 * contiguous, little-endian (a quantized one: codes, block scales, zero points, tensor scale, each
 * part aligned to 4 bytes). Handles are the plug-in's own, not 0. */
typedef struct faultline_plugin {
  uint32_t abi;         /* FAULTLINE_PLUGIN_ABI */
  const char* name;     /* short, stable */
  const char* contract; /* text of the contract it promises; NULL: the default for plug-ins */

  faultline_status (*open)(int threads, void** session, faultline_message message);
  void (*close)(void* session);
  /* FAULTLINE_OK, or FAULTLINE_UNSUPPORTED with the reason. Programs hold only what it admits. */
  faultline_status (*supports)(const faultline_application* application, faultline_message reason);

  faultline_status (*create)(void* session, const faultline_type* type, const void* bytes,
                             size_t size, uint64_t* handle, faultline_message message);
  /* Fills in one handle a result of the application. */
  faultline_status (*apply)(void* session, const faultline_application* application,
                            uint64_t* results, faultline_message message);
  faultline_status (*drop)(void* session, uint64_t handle, faultline_message message);
  /* Copies each value into its buffer, whose size is that of the value. */
  faultline_status (*read)(void* session, const uint64_t* handles, int32_t count,
                           void* const* buffers, const size_t* sizes, faultline_message message);
  faultline_status (*sync)(void* session, faultline_message message); /* optional */
  void (*live)(void* session, int64_t* handles, int64_t* bytes);      /* optional */
} faultline_plugin;

#ifdef __cplusplus
}
#endif

#endif /* HARNESS_BACKEND_PLUGIN_PLUGIN_H_ */
