// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// oneDNN under test: an engine that nobody here wrote, as a Faultline plug-in. Each op is one
// primitive, made and run when it is applied, on f32 and bf16. docs/third-party.md says what a
// campaign sees.

#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/backend/plugin/plugin.h"

namespace {

using dnnl::algorithm;
using dnnl::memory;
using Dims = memory::dims;

struct Session {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  int64_t handles = 0;
  int64_t bytes = 0;
};

struct Tensor {
  memory data;
  int64_t bytes = 0;
};

enum class Kind { kEltwise, kBinary, kReduction, kSoftmax, kLogSoftmax, kMatmul, kMove, kCat };

struct Op {
  std::string_view name;
  Kind kind;
  algorithm algo = algorithm::undef;
};

constexpr std::array kOps = {
    Op{"abs", Kind::kEltwise, algorithm::eltwise_abs},
    Op{"exp", Kind::kEltwise, algorithm::eltwise_exp},
    Op{"gelu", Kind::kEltwise, algorithm::eltwise_gelu_erf},
    Op{"log", Kind::kEltwise, algorithm::eltwise_log},
    Op{"log_sigmoid", Kind::kEltwise, algorithm::eltwise_logsigmoid},
    Op{"relu", Kind::kEltwise, algorithm::eltwise_relu},
    Op{"round", Kind::kEltwise, algorithm::eltwise_round},
    Op{"sigmoid", Kind::kEltwise, algorithm::eltwise_logistic},
    Op{"sqrt", Kind::kEltwise, algorithm::eltwise_sqrt},
    Op{"tanh", Kind::kEltwise, algorithm::eltwise_tanh},
    Op{"leaky_relu", Kind::kEltwise, algorithm::eltwise_relu},
    Op{"add", Kind::kBinary, algorithm::binary_add},
    Op{"sub", Kind::kBinary, algorithm::binary_sub},
    Op{"mul", Kind::kBinary, algorithm::binary_mul},
    Op{"div", Kind::kBinary, algorithm::binary_div},
    Op{"maximum", Kind::kBinary, algorithm::binary_max},
    Op{"minimum", Kind::kBinary, algorithm::binary_min},
    Op{"sum_dim", Kind::kReduction, algorithm::reduction_sum},
    Op{"mean_dim", Kind::kReduction, algorithm::reduction_mean},
    Op{"prod_dim", Kind::kReduction, algorithm::reduction_mul},
    Op{"max_dim", Kind::kReduction, algorithm::reduction_max},
    Op{"min_dim", Kind::kReduction, algorithm::reduction_min},
    Op{"softmax", Kind::kSoftmax},
    Op{"log_softmax", Kind::kLogSoftmax},
    Op{"matmul", Kind::kMatmul},
    Op{"permute", Kind::kMove},
    Op{"swap_dims", Kind::kMove},
    Op{"cast", Kind::kMove},
    Op{"cat", Kind::kCat},
};

const Op* FindOp(std::string_view name) {
  for (const Op& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

faultline_status Fail(faultline_status status, faultline_message message, std::string_view text) {
  std::snprintf(message.text, message.size, "%.*s", static_cast<int>(text.size()), text.data());
  return status;
}

faultline_status Fail(const dnnl::error& error, faultline_message message) {
  switch (error.status) {
    case dnnl_out_of_memory:
      return Fail(FAULTLINE_OUT_OF_MEMORY, message, error.what());
    case dnnl_unimplemented:
    case dnnl_invalid_arguments:
      return Fail(FAULTLINE_UNSUPPORTED, message, error.what());
    default:
      return Fail(FAULTLINE_INTERNAL, message, error.what());
  }
}

// A tensor without axes is one of one element here.
Dims DimsOf(const faultline_type& type) {
  if (type.rank == 0) return {1};
  return Dims(type.extents, type.extents + type.rank);
}

Dims RowMajor(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t i = dims.size() - 1; i-- > 0;) {
    strides[i] = strides[i + 1] * std::max<int64_t>(dims[i + 1], 1);
  }
  return strides;
}

bool IsTaken(faultline_dtype dtype) { return dtype == FAULTLINE_F32 || dtype == FAULTLINE_BF16; }

memory::desc DescOf(const faultline_type& type) {
  const Dims dims = DimsOf(type);
  return {dims, type.dtype == FAULTLINE_BF16 ? memory::data_type::bf16 : memory::data_type::f32,
          RowMajor(dims)};
}

const int64_t* Attribute(const faultline_application& a, std::string_view name) {
  for (int i = 0; i < a.attribute_count; ++i) {
    if (a.attributes[i].name == name) return a.attributes[i].values;
  }
  return nullptr;
}

float FloatOf(const faultline_scalar& scalar) {
  const auto bits = static_cast<uint32_t>(scalar.bits);
  return std::bit_cast<float>(scalar.dtype == FAULTLINE_BF16 ? bits << 16 : bits);
}

// The operand as the result walks it.
memory::desc Permuted(const faultline_application& a, const memory::desc& from) {
  const int rank = a.operand_types[0].rank;
  if (rank == 0) return from;
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (const int64_t* order = Attribute(a, "axes")) axes.assign(order, order + rank);
  if (const int64_t* dims = Attribute(a, "dims")) {
    std::swap(axes[static_cast<size_t>(dims[0])], axes[static_cast<size_t>(dims[1])]);
  }
  // permute_axes says where an axis goes.
  std::vector<int> to(axes.size());
  for (size_t i = 0; i < axes.size(); ++i) to[static_cast<size_t>(axes[i])] = static_cast<int>(i);
  return from.permute_axes(to);
}

struct Ready {
  dnnl::primitive primitive;
  std::vector<memory::desc> sources;  // as the primitive takes them
};

// The primitive of an application; dnnl::error where there is none. Scalars are absent when
// `supports` is asked.
Ready Make(const faultline_application& a, const Op& op, const dnnl::engine& engine) {
  Ready ready;
  for (int i = 0; i < a.operand_count; ++i) ready.sources.push_back(DescOf(a.operand_types[i]));
  const memory::desc to = DescOf(a.result_types[0]);
  const auto scalar = [&](int i) { return a.scalar_count > i ? FloatOf(a.scalars[i]) : 1.0F; };
  constexpr auto kInference = dnnl::prop_kind::forward_inference;
  const int64_t* dim = Attribute(a, "dim");
  const int axis = dim == nullptr ? 0 : static_cast<int>(*dim);
  switch (op.kind) {
    case Kind::kEltwise: {
      // Relu without a slope has none to take from a scalar.
      const float alpha = op.name == "relu" ? 0 : scalar(0);
      const dnnl::eltwise_forward::desc desc(kInference, op.algo, ready.sources[0], alpha);
      ready.primitive = dnnl::eltwise_forward({desc, engine});
      break;
    }
    case Kind::kBinary: {
      // Operands have as many axes as the result.
      for (memory::desc& source : ready.sources) {
        Dims dims = source.dims();
        dims.insert(dims.begin(), to.dims().size() - dims.size(), 1);
        source = source.reshape(dims);
      }
      const dnnl::binary::desc desc(op.algo, ready.sources[0], ready.sources[1], to);
      ready.primitive = dnnl::binary({desc, engine});
      break;
    }
    case Kind::kReduction: {
      const dnnl::reduction::desc desc(op.algo, ready.sources[0], to, 0, 0);
      ready.primitive = dnnl::reduction({desc, engine});
      break;
    }
    case Kind::kSoftmax:
    case Kind::kLogSoftmax: {
      const auto algo =
          op.kind == Kind::kSoftmax ? algorithm::softmax_accurate : algorithm::softmax_log;
      const dnnl::softmax_v2_forward::desc desc(kInference, algo, ready.sources[0], to, axis);
      ready.primitive = dnnl::softmax_v2_forward({desc, engine});
      break;
    }
    case Kind::kMatmul: {
      const dnnl::matmul::desc desc(ready.sources[0], ready.sources[1], to);
      ready.primitive = dnnl::matmul({desc, engine});
      break;
    }
    case Kind::kMove:
      ready.sources[0] = Permuted(a, ready.sources[0]);
      ready.primitive = dnnl::reorder({engine, ready.sources[0], engine, to});
      break;
    case Kind::kCat:
      ready.primitive = dnnl::concat({to, axis, ready.sources, engine});
      break;
  }
  return ready;
}

faultline_status Supports(const faultline_application* a, faultline_message reason) try {
  const Op* op = FindOp(a->op);
  if (op == nullptr) return Fail(FAULTLINE_UNSUPPORTED, reason, "no such primitive");
  for (int i = 0; i < a->operand_count; ++i) {
    if (!IsTaken(a->operand_types[i].dtype) || !IsTaken(a->result_types[0].dtype)) {
      return Fail(FAULTLINE_UNSUPPORTED, reason, "f32 and bf16 only");
    }
  }
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Make(*a, *op, engine);
  return FAULTLINE_OK;
} catch (const dnnl::error& error) {
  return Fail(FAULTLINE_UNSUPPORTED, reason, error.what());
}

faultline_status Open(int threads, void** session, faultline_message message) try {
  (void)threads;  // OMP_NUM_THREADS says how many
  *session = new Session;
  return FAULTLINE_OK;
} catch (const dnnl::error& error) {
  return Fail(error, message);
}

void Close(void* session) { delete static_cast<Session*>(session); }

uint64_t NewHandle(Session& session, const memory::desc& desc, Tensor** made) {
  auto tensor = std::make_unique<Tensor>();
  tensor->data = memory(desc, session.engine);
  tensor->bytes = static_cast<int64_t>(desc.get_size());
  session.handles += 1;
  session.bytes += tensor->bytes;
  *made = tensor.release();
  return reinterpret_cast<uint64_t>(*made);
}

const Tensor& TensorOf(uint64_t handle) { return *reinterpret_cast<const Tensor*>(handle); }

faultline_status Create(void* self, const faultline_type* type, const void* bytes, size_t size,
                        uint64_t* handle, faultline_message message) try {
  if (!IsTaken(type->dtype)) return Fail(FAULTLINE_UNSUPPORTED, message, "f32 and bf16 only");
  Tensor* tensor = nullptr;
  *handle = NewHandle(*static_cast<Session*>(self), DescOf(*type), &tensor);
  if (size > 0) std::memcpy(tensor->data.get_data_handle(), bytes, size);
  return FAULTLINE_OK;
} catch (const dnnl::error& error) {
  return Fail(error, message);
}

faultline_status Drop(void* self, uint64_t handle, faultline_message) {
  Session& session = *static_cast<Session*>(self);
  auto* tensor = reinterpret_cast<Tensor*>(handle);
  session.handles -= 1;
  session.bytes -= tensor->bytes;
  delete tensor;
  return FAULTLINE_OK;
}

faultline_status Apply(void* self, const faultline_application* a, uint64_t* results,
                       faultline_message message) {
  Session& session = *static_cast<Session*>(self);
  Tensor* made = nullptr;
  try {
    const Op* op = FindOp(a->op);
    if (op == nullptr) return Fail(FAULTLINE_UNSUPPORTED, message, "no such primitive");
    const Ready ready = Make(*a, *op, session.engine);
    results[0] = NewHandle(session, DescOf(a->result_types[0]), &made);
    std::unordered_map<int, memory> arguments = {{DNNL_ARG_DST, made->data}};
    for (int i = 0; i < a->operand_count; ++i) {
      const int name = std::string_view(a->op) == "cat" ? DNNL_ARG_MULTIPLE_SRC + i
                       : std::string_view(a->op) == "matmul"
                           ? (i == 0 ? DNNL_ARG_SRC : DNNL_ARG_WEIGHTS)
                           : DNNL_ARG_SRC_0 + i;
      arguments[name] = memory(ready.sources[static_cast<size_t>(i)], session.engine,
                               TensorOf(a->operands[i]).data.get_data_handle());
    }
    ready.primitive.execute(session.stream, arguments);
    session.stream.wait();
    return FAULTLINE_OK;
  } catch (const dnnl::error& error) {
    if (made != nullptr) Drop(self, results[0], message);
    return Fail(error, message);
  }
}

faultline_status Read(void*, const uint64_t* handles, int32_t count, void* const* buffers,
                      const size_t* sizes, faultline_message) {
  for (int32_t i = 0; i < count; ++i) {
    if (sizes[i] == 0) continue;
    std::memcpy(buffers[i], TensorOf(handles[i]).data.get_data_handle(), sizes[i]);
  }
  return FAULTLINE_OK;
}

void Live(void* self, int64_t* handles, int64_t* bytes) {
  *handles = static_cast<Session*>(self)->handles;
  *bytes = static_cast<Session*>(self)->bytes;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const faultline_plugin* faultline_plugin_v1(
    void) {
  static const faultline_plugin plugin = {
      .abi = FAULTLINE_PLUGIN_ABI,
      .name = "onednn",
      .contract = nullptr,
      .open = Open,
      .close = Close,
      .supports = Supports,
      .create = Create,
      .apply = Apply,
      .drop = Drop,
      .read = Read,
      .sync = nullptr,
      .live = Live,
  };
  return &plugin;
}
