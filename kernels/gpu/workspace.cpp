#include "kernels/gpu/workspace.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "kernels/gpu/cuda_check.h"

namespace conv {

namespace {

std::size_t bytes_of(PixelType type, Size2 size) {
  return static_cast<std::size_t>(size.area()) * info(type).bytes;
}

}  // namespace

Result<void> Workspace::reserve(const LaunchPlan& plan, StreamPool& streams) {
  CONV_TRY(reserve_scratch(plan.scratch));
  std::set<int> devices;
  for (const Step* step : all_steps(plan)) devices.insert(base_of(*step).device);
  for (const int device : devices) CONV_TRY(upload_taps(device, plan.tables, streams));
  if (!plan.transfers()) return {};
  const bool lost = CONV_TRY(host_source_.reserve(bytes_of(plan.format, plan.source), plan.pinned));
  if (lost) host_content_.reset();
  CONV_TRY(host_target_.reserve(bytes_of(plan.format, plan.image), plan.pinned));
  return {};
}

Result<void> Workspace::reserve_scratch(const std::vector<ScratchImage>& wanted) {
  scratch_.resize(std::max(scratch_.size(), wanted.size()));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Scratch& scratch = scratch_[i];
    if (scratch.device != wanted[i].device) scratch = {.device = wanted[i].device};
    const OnDevice on(wanted[i].device);
    CONV_TRY(scratch.image.resize(wanted[i].type, wanted[i].size));
  }
  return {};
}

Result<void> Workspace::upload_taps(int device, const std::vector<TapsTable>& tables, StreamPool& streams) {
  const OnDevice on(device);
  const cudaStream_t stream = CONV_TRY(streams.stream(device, 0));
  std::vector<DeviceBuffer>& taps = taps_[device];
  taps.resize(std::max(taps.size(), tables.size()));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::vector<float>& values = tables[i].values;
    const std::size_t bytes = values.size() * sizeof(float);
    if (bytes == 0) continue;  // a step without taps
    CONV_TRY(taps[i].reserve(bytes));
    CONV_TRY_CUDA(cudaMemcpyAsync(taps[i].data(), values.data(), bytes, cudaMemcpyHostToDevice, stream));
  }
  if (device != 0) CONV_TRY_CUDA(cudaStreamSynchronize(stream));  // launches wait for device 0 only
  return {};
}

Result<void> Workspace::take_host_source(const std::shared_ptr<const HostImage>& host, StreamPool& streams) {
  if (host_content_ == host) return {};
  CONV_TRY_CUDA(cudaStreamSynchronize(streams.main()));  // the GPU may still be reading it
  std::memcpy(host_source_.data(), host->bytes.data(), host->bytes.size());
  host_content_ = host;
  return {};
}

const float* Workspace::taps(int device, int table) const {
  return static_cast<const float*>(taps_.at(device)[static_cast<std::size_t>(table)].data());
}

TextureObject& Workspace::texture(std::size_t step) {
  textures_.resize(std::max(textures_.size(), step + 1));
  return textures_[step];
}

HostImage Workspace::host_result() const {
  HostImage result(plan_->format, plan_->image);
  std::memcpy(result.bytes.data(), host_target_.data(), result.bytes.size());
  return result;
}

}  // namespace conv
