// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace faultline::fusion::opencl {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower;
}

// A text that a query of `get` gives; empty if it fails.
template <typename Get, typename Id>
std::string Text(const Get& get, Id id, cl_uint what) {
  size_t size = 0;
  if (get(id, what, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (get(id, what, size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

template <typename T>
T Number(const Api& api, cl_device_id id, cl_device_info what) {
  T value{};
  if (api.GetDeviceInfo(id, what, sizeof(T), &value, nullptr) != CL_SUCCESS) return T{};
  return value;
}

std::string KindOf(cl_device_type type) {
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
  return "other";
}

Device Describe(const Api& api, cl_platform_id platform, cl_device_id id) {
  Device device{.id = id, .platform = platform, .facts = {}};
  DeviceFacts& facts = device.facts;
  facts.platform = Text(api.GetPlatformInfo, platform, CL_PLATFORM_NAME);
  facts.name = Text(api.GetDeviceInfo, id, CL_DEVICE_NAME);
  facts.version = Text(api.GetDeviceInfo, id, CL_DEVICE_VERSION);
  facts.driver = Text(api.GetDeviceInfo, id, CL_DRIVER_VERSION);
  facts.kind = KindOf(Number<cl_device_type>(api, id, CL_DEVICE_TYPE));
  facts.compute_units = static_cast<int>(Number<cl_uint>(api, id, CL_DEVICE_MAX_COMPUTE_UNITS));
  facts.memory_bytes = static_cast<int64_t>(Number<cl_ulong>(api, id, CL_DEVICE_GLOBAL_MEM_SIZE));
  facts.allocation_bytes =
      static_cast<int64_t>(Number<cl_ulong>(api, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  const auto f32 = Number<cl_device_fp_config>(api, id, CL_DEVICE_SINGLE_FP_CONFIG);
  const auto f64 = Number<cl_device_fp_config>(api, id, CL_DEVICE_DOUBLE_FP_CONFIG);
  facts.f64 = f64 != 0;
  facts.f32_subnormals = (f32 & CL_FP_DENORM) != 0;
  facts.f64_subnormals = (f64 & CL_FP_DENORM) != 0;
  facts.f32_divides_correctly = (f32 & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  facts.unified_memory = Number<cl_bool>(api, id, CL_DEVICE_HOST_UNIFIED_MEMORY) != CL_FALSE;
  return device;
}

// "OpenCL 1.1 ..." and older lack what the target calls; a big-endian device lays numbers out as
// the host does not.
bool IsUsable(const Api& api, const Device& device) {
  const std::string& version = device.facts.version;
  const bool old = version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1");
  return !old && Number<cl_bool>(api, device.id, CL_DEVICE_COMPILER_AVAILABLE) != CL_FALSE &&
         Number<cl_bool>(api, device.id, CL_DEVICE_AVAILABLE) != CL_FALSE &&
         Number<cl_bool>(api, device.id, CL_DEVICE_ENDIAN_LITTLE) != CL_FALSE;
}

}  // namespace

ir::Result<std::vector<Device>> FindDevices() {
  FAULTLINE_ASSIGN_OR_RETURN(const Api* const api, LoadApi());
  cl_uint count = 0;
  // Fails, rather than counting none, where no driver is registered.
  if (api->GetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) count = 0;
  std::vector<cl_platform_id> platforms(count);
  if (count > 0 && api->GetPlatformIDs(count, platforms.data(), nullptr) != CL_SUCCESS) {
    platforms.clear();
  }
  std::vector<Device> devices;
  for (cl_platform_id platform : platforms) {
    cl_uint here = 0;
    if (api->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &here) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(here);
    if (api->GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, here, ids.data(), nullptr) != CL_SUCCESS) {
      continue;
    }
    for (cl_device_id id : ids) {
      const Device device = Describe(*api, platform, id);
      if (IsUsable(*api, device)) devices.push_back(device);
    }
  }
  if (devices.empty()) {
    return ir::Error(ir::StatusCode::kUnsupported,
                     "the OpenCL runtime has no device (Debian: pocl-opencl-icd brings the CPU)");
  }
  return devices;
}

ir::Result<Device> FindDevice(std::string_view selector) {
  FAULTLINE_ASSIGN_OR_RETURN(const std::vector<Device> devices, FindDevices());
  const auto title = [](const Device& device) {
    return Lower(fmt::format("{}: {}", device.facts.platform, device.facts.name));
  };
  if (selector.empty()) {
    const auto pocl = std::ranges::find_if(devices, [](const Device& device) {
      return device.facts.platform == "Portable Computing Language";
    });
    return pocl == devices.end() ? devices.front() : *pocl;
  }
  size_t number = 0;
  const auto [end, error] =
      std::from_chars(selector.data(), selector.data() + selector.size(), number);
  if (error == std::errc{} && end == selector.data() + selector.size()) {
    if (number < devices.size()) return devices[number];
  } else {
    for (const Device& device : devices) {
      if (title(device).contains(Lower(selector))) return device;
    }
  }
  return ir::Error(ir::StatusCode::kUnsupported,
                   fmt::format("no OpenCL device is called '{}'; `faultline devices` lists the {} "
                               "there are",
                               selector, devices.size()));
}

bool DriversAreOpen() { return ApiIsOpen(); }

ir::Result<std::vector<DeviceFacts>> ListDevices() {
  FAULTLINE_ASSIGN_OR_RETURN(const std::vector<Device> devices, FindDevices());
  std::vector<DeviceFacts> facts;
  for (const Device& device : devices) facts.push_back(device.facts);
  return facts;
}

ir::Result<DeviceFacts> DescribeDevice(std::string_view selector) {
  FAULTLINE_ASSIGN_OR_RETURN(Device device, FindDevice(selector));
  return std::move(device.facts);
}

}  // namespace faultline::fusion::opencl
