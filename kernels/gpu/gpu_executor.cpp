#include "kernels/gpu/gpu_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "kernels/core/rows.h"
#include "kernels/gpu/cuda_check.h"
#include "kernels/gpu/npp.h"

namespace {

// Device 0 is current everywhere but inside one of these.
class OnDevice {
 public:
  explicit OnDevice(int device) : device_(device) {
    if (device_ != 0) cudaSetDevice(device_);
  }
  ~OnDevice() {
    if (device_ != 0) cudaSetDevice(0);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int device_;
};

std::size_t bytes_of(PixelType type, Size2 size) {
  return static_cast<std::size_t>(size.area()) * info(type).bytes;
}

Result<void> copy_rows(const CopyStep& step, PixelType type, const PixelBuffer& from, const PixelBuffer& to,
                       cudaStream_t stream) {
  const std::size_t from_pitch = pitch_of(from, type), to_pitch = pitch_of(to, type);
  for (int plane = 0; plane < planes_of(type); ++plane) {
    std::byte* into = row_of(to, type, plane, step.rows->first);
    const std::byte* out_of = row_of(from, type, plane, step.from_row);
    if (from_pitch == to_pitch)
      CONV_TRY_CUDA(cudaMemcpyAsync(into, out_of, from_pitch * step.rows->count, cudaMemcpyDefault, stream));
    else
      CONV_TRY_CUDA(cudaMemcpy2DAsync(into, to_pitch, out_of, from_pitch, from.width * plane_pixel_bytes(type),
                                      step.rows->count, cudaMemcpyDefault, stream));
  }
  return {};
}

}  // namespace

struct GpuExecutor::Launch {
  const std::shared_ptr<const LaunchPlan>& plan;
  Workspace& workspace;
  const DeviceImage& source;
  DeviceImage& target;
  const Choice& choice;

  PixelBuffer buffer(ImageRef ref) const {
    const auto packed = [&](const HostBuffer& memory) {
      const Size2 size = plan->size_of(ref);
      return PixelBuffer{memory.data(), size.width, size.height, size.width, size.height};
    };
    switch (ref.role) {
      case ImageRole::source: return source.buffer();
      case ImageRole::target: return target.buffer();
      case ImageRole::host_source: return packed(workspace.host_source_);
      case ImageRole::host_target: return packed(workspace.host_target_);
      case ImageRole::scratch: break;
    }
    return workspace.scratch_[ref.index].image.buffer();
  }
};

Result<std::unique_ptr<GpuExecutor>> GpuExecutor::create(KernelSources& sources, CubinCache cache,
                                                         const std::function<void(std::string)>& log) {
  Result<DeviceInfo> device = query_device();
  if (!device) return tl::unexpected(device.error());
  const std::vector<int> known = nvrtc_architectures();
  const int own = device->limits.compute_capability;
  if (known.empty()) return failure("NVRTC could not be loaded; run app/run to obtain it again.");
  if (own < known.front())
    return failure(fmt::format("{} is sm_{}, older than this NVRTC ({}) can compile for (sm_{}).", device->name, own,
                               nvrtc_version(), known.front()));
  std::string architecture = fmt::format("sm_{}", own);
  if (!std::binary_search(known.begin(), known.end(), own)) {
    const int nearest = *std::prev(std::upper_bound(known.begin(), known.end(), own));
    architecture = fmt::format("compute_{}", nearest);
    log(fmt::format("sm_{} is newer than this NVRTC ({}): using PTX for sm_{}.", own, nvrtc_version(), nearest));
  }
  std::unique_ptr<GpuExecutor> executor(new GpuExecutor);
  executor->device_ = std::move(*device);
  CONV_TRY_CUDA(cudaStreamCreateWithFlags(&executor->stream_, cudaStreamNonBlocking));
  executor->compiler_ = std::make_unique<Compiler>(sources.texts(), std::move(cache), std::move(architecture));
  return executor;
}

GpuExecutor::~GpuExecutor() {
  for (const auto& [place, stream] : more_streams_) cudaStreamDestroy(stream);
  if (stream_) {
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
}

CompileJob GpuExecutor::job_of(const KernelStep& step, const std::string& instance) const {
  return {.file = std::string(step.kernel.file),
          .instance = instance,
          .constant_symbol = std::string(step.kernel.constant_symbol),
          .options = &instance == &step.kernel.name ? step.kernel.options : "",
          .architecture = compiler_->architecture()};
}

Result<GpuExecutor::Choice> GpuExecutor::choose(CompilerClient client, const LaunchPlan& plan) {
  Choice choice;
  choice.what.running = Running::exact;
  std::vector<CompileJob> generals, exacts;
  for (const Step* any_step : all_steps(plan)) {
    const auto* step = std::get_if<KernelStep>(any_step);
    if (!step) {
      choice.kernels.push_back(nullptr);
      continue;
    }
    std::shared_ptr<const CompiledKernel> code;
    for (const std::string* instance : {&step->kernel.name, &step->kernel.general}) {
      const CompileJob job = job_of(*step, *instance);
      const Compiler::Answer answer = compiler_->look_up(job);
      if (answer.state == Compiler::State::ready) {
        code = answer.kernel;
        break;
      }
      if (answer.state == Compiler::State::failed)
        choice.what.error = answer.error;
      else
        (instance == &step->kernel.name ? exacts : generals).push_back(job);
      if (const auto good = last_good_.find(job); good != last_good_.end()) {
        code = good->second;
        break;
      }
      choice.what.running = std::max(choice.what.running, Running::general);
    }
    if (!code) {
      choice.what.running = Running::nothing;
      continue;
    }
    Result<LoadedKernel*> loaded = library_.load(code);
    if (!loaded) return tl::unexpected(loaded.error());
    choice.kernels.push_back(*loaded);
  }
  generals.insert(generals.end(), exacts.begin(), exacts.end());  // something to show first
  if (!generals.empty()) compiler_->request(client, std::move(generals));
  return choice;
}

Result<cudaStream_t> GpuExecutor::stream_of(int device, int number) {
  if (device == 0 && number == 0) return stream_;
  const auto found = more_streams_.find({device, number});
  if (found != more_streams_.end()) return found->second;
  if (device != 0 && number == 0)  // the device's first stream: neighbours may reach its memory from now on
    for (int other = 0; other < device; ++other)
      for (const auto& [from, to] : {std::pair(device, other), std::pair(other, device)}) {
        int possible = 0;
        CONV_TRY_CUDA(cudaDeviceCanAccessPeer(&possible, from, to));
        const OnDevice on(from);
        if (possible) cudaDeviceEnablePeerAccess(to, 0);  // without it copies go through the host
      }
  const OnDevice on(device);
  cudaStream_t stream = nullptr;
  CONV_TRY_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return more_streams_[{device, number}] = stream;
}

Result<void> GpuExecutor::prepare(const Launch& launch, const std::shared_ptr<const HostImage>& host) {
  const LaunchPlan& plan = *launch.plan;
  Workspace& workspace = launch.workspace;
  const std::vector<const Step*> steps = all_steps(plan);
  const bool is_new = workspace.plan_ != launch.plan;
  if (is_new) {
    workspace.scratch_.resize(std::max(workspace.scratch_.size(), plan.scratch.size()));
    for (std::size_t i = 0; i < plan.scratch.size(); ++i) {
      const ScratchImage& wanted = plan.scratch[i];
      Workspace::Scratch& scratch = workspace.scratch_[i];
      if (scratch.device != wanted.device) scratch = {.device = wanted.device};
      const OnDevice on(wanted.device);
      if (auto resized = scratch.image.resize(wanted.type, wanted.size); !resized) return resized;
    }
    std::set<int> devices;
    for (const Step* step : steps) devices.insert(base_of(*step).device);
    for (const int device : devices) {
      const OnDevice on(device);
      std::vector<DeviceBuffer>& taps = workspace.taps_[device];
      taps.resize(std::max(taps.size(), plan.tables.size()));
      for (std::size_t i = 0; i < plan.tables.size(); ++i) {
        const std::vector<float>& values = plan.tables[i].values;
        const std::size_t bytes = values.size() * sizeof(float);
        if (bytes == 0) continue;  // of a step without taps
        if (auto reserved = taps[i].reserve(bytes); !reserved) return reserved;
        const Result<cudaStream_t> stream = stream_of(device, 0);
        if (!stream) return tl::unexpected(stream.error());
        CONV_TRY_CUDA(cudaMemcpyAsync(taps[i].data(), values.data(), bytes, cudaMemcpyHostToDevice, *stream));
        if (device != 0) CONV_TRY_CUDA(cudaStreamSynchronize(*stream));  // launches wait for device 0 alone
      }
    }
    if (plan.transfers()) {
      const Result<bool> lost = workspace.host_source_.reserve(bytes_of(plan.format, plan.source), plan.pinned);
      if (!lost) return tl::unexpected(lost.error());
      if (*lost) workspace.host_content_.reset();
      if (const auto target = workspace.host_target_.reserve(bytes_of(plan.format, plan.image), plan.pinned); !target)
        return tl::unexpected(target.error());
    }
  }
  if (plan.transfers() && workspace.host_content_ != host) {
    CONV_TRY_CUDA(cudaStreamSynchronize(stream_));  // the GPU may still be reading
    std::memcpy(workspace.host_source_.data(), host->bytes.data(), host->bytes.size());
    workspace.host_content_ = host;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto* step = std::get_if<KernelStep>(steps[i]);
    if (!step) continue;
    LoadedKernel& kernel = *launch.choice.kernels[i];
    if (kernel.constant && kernel.constant_content != launch.plan) {
      const std::vector<float> values = plan.constants();  // pageable: copied before the call returns
      CONV_TRY_CUDA(cudaMemcpyAsync(kernel.constant, values.data(), values.size() * sizeof(float),
                                    cudaMemcpyHostToDevice, stream_));
      kernel.constant_content = launch.plan;
    }
    if (int& limit = kernel.shared_limit[step->device]; step->shared_bytes > limit) {
      const OnDevice on(step->device);
      CONV_TRY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, step->shared_bytes));
      limit = step->shared_bytes;
    }
  }
  if (is_new)
    for (std::size_t i = 0; i < plan.once.size(); ++i)
      if (auto ran = run_step(launch, i, plan.once[i], stream_); !ran) return ran;
  workspace.plan_ = launch.plan;
  return {};
}

// index: among all steps, those that run once first.
Result<void> GpuExecutor::run_step(const Launch& launch, std::size_t index, const Step& any_step, cudaStream_t stream) {
  const LaunchPlan& plan = *launch.plan;
  const auto buffer = [&](ImageRef ref) { return launch.buffer(ref); };
  if (const auto* copy = std::get_if<CopyStep>(&any_step))
    return copy_rows(*copy, plan.type_of(copy->reads), buffer(copy->reads), buffer(copy->writes), stream);
  if (const auto* fft = std::get_if<FftStep>(&any_step))
    return fft_.run(*fft, buffer(fft->reads), buffer(fft->writes), stream);
  if (const auto* npp = std::get_if<NppStep>(&any_step))
    return run_npp(*npp, plan, buffer(npp->reads), buffer(npp->writes),
                   static_cast<const float*>(launch.workspace.taps_.at(npp->device)[npp->taps].data()), stream);
  const auto& step = std::get<KernelStep>(any_step);
  const auto& taps = launch.workspace.taps_.at(step.device);
  ConvArgs args = args_of(step, plan, buffer, static_cast<const float*>(taps[step.taps].data()));
  if (step.through_texture) {
    std::vector<TextureObject>& textures = launch.workspace.textures_;
    textures.resize(std::max(textures.size(), index + 1));
    const auto texture = textures[index].of(args.source, plan.type_of(step.reads), step.border);
    if (!texture) return tl::unexpected(texture.error());
    args.texture = *texture;
  }
  void* parameters[] = {&args};
  const cudaLaunchConfig_t config{
      .gridDim = dim3(step.grid.width, step.grid.height),
      .blockDim = dim3(step.block.width, step.block.height),
      .dynamicSmemBytes = static_cast<std::size_t>(step.shared_bytes),
      .stream = stream,
  };
  CONV_TRY_CUDA(
      cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(launch.choice.kernels[index]->kernel), parameters));
#if defined(CONV_SYNC_LAUNCHES)
  CONV_TRY_CUDA(cudaStreamSynchronize(stream));
#endif
  return {};
}

// Steps on the streams and devices they name: all begin after what the main stream holds, and it goes on after all.
Result<void> GpuExecutor::run_spread(const Launch& launch) {
  const LaunchPlan& plan = *launch.plan;
  EventTimer& timer = launch.workspace.timer_;
  std::map<std::pair<int, int>, int> last;  // mark of each stream
  std::map<int, int> origins{{0, 0}};       // mark that times of a device count from: events of two have no difference
  std::vector<int> ends;                    // mark of each step
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const StepBase& step = base_of(plan.steps[i]);
    const Result<cudaStream_t> stream = stream_of(step.device, step.stream);
    if (!stream) return tl::unexpected(stream.error());
    const OnDevice on(step.device);
    if (!last.contains({step.device, step.stream})) CONV_TRY_CUDA(cudaStreamWaitEvent(*stream, timer.event(0)));
    if (!origins.contains(step.device)) {
      const Result<int> origin = timer.record(*stream, step.device);
      if (!origin) return tl::unexpected(origin.error());
      origins[step.device] = *origin;
    }
    for (const int earlier : step.after) CONV_TRY_CUDA(cudaStreamWaitEvent(*stream, timer.event(ends[earlier])));
    const Result<int> from = timer.record(*stream, step.device);
    if (!from) return tl::unexpected(from.error());
    if (auto ran = run_step(launch, plan.once.size() + i, plan.steps[i], *stream); !ran) return ran;
    const Result<int> to = timer.record(*stream, step.device);
    if (!to) return tl::unexpected(to.error());
    timer.span(origins[step.device], *from, *to);
    ends.push_back(*to);
    last[{step.device, step.stream}] = *to;
  }
  for (const auto& [place, mark] : last) CONV_TRY_CUDA(cudaStreamWaitEvent(stream_, timer.event(mark)));
  if (const Result<int> joined = timer.record(stream_); !joined) return tl::unexpected(joined.error());
  return {};
}

TextureObject::~TextureObject() {
  if (texture_) cudaDestroyTextureObject(texture_);
}

TextureObject& TextureObject::operator=(TextureObject&& other) noexcept {
  std::swap(texture_, other.texture_);
  std::swap(image_, other.image_);
  std::swap(type_, other.type_);
  std::swap(border_, other.border_);
  return *this;
}

Result<cudaTextureObject_t> TextureObject::of(const PixelBuffer& image, PixelType type, Border border) {
  const bool same = texture_ && image.data == image_.data && image.width == image_.width &&
                    image.height == image_.height && type == type_ && border == border_;
  if (same) return texture_;
  if (texture_) cudaDestroyTextureObject(std::exchange(texture_, 0));
  const PixelTypeInfo& pixel = info(type);
  const int bits = 8 * pixel.bytes / pixel.channels, more = pixel.channels == 4 ? bits : 0;
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {
      .devPtr = image.data,
      .desc = {bits, more, more, more, bits == 32 ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned},
      .width = static_cast<std::size_t>(image.width),
      .height = static_cast<std::size_t>(image.height),
      .pitchInBytes = static_cast<std::size_t>(image.stride_px) * pixel.bytes};
  cudaTextureDesc texture{};
  const cudaTextureAddressMode mode = border == Border::wrap        ? cudaAddressModeWrap
                                      : border == Border::symmetric ? cudaAddressModeMirror
                                      : border == Border::zero      ? cudaAddressModeBorder
                                                                    : cudaAddressModeClamp;
  texture.addressMode[0] = texture.addressMode[1] = mode;
  texture.filterMode = cudaFilterModePoint;
  texture.readMode = cudaReadModeElementType;
  texture.normalizedCoords = border == Border::wrap || border == Border::symmetric;
  CONV_TRY_CUDA(cudaCreateTextureObject(&texture_, &resource, &texture, nullptr));
  image_ = image;
  type_ = type;
  border_ = border;
  return texture_;
}

Result<void> GpuExecutor::wake() {
  constexpr std::size_t bytes = 1 << 20;
  if (auto reserved = wake_buffer_.reserve(bytes); !reserved) return reserved;
  CONV_TRY_CUDA(cudaMemsetAsync(wake_buffer_.data(), 0, bytes, stream_));
  return {};
}

Result<void> GpuExecutor::join_clocks() {
  auto anchor = ClockAnchor::create(stream_);
  if (!anchor) return tl::unexpected(anchor.error());
  anchor_ = std::move(*anchor);
  return {};
}

HostImage Workspace::host_result() const {
  HostImage result(plan_->format, plan_->image);
  std::memcpy(result.bytes.data(), host_target_.data(), result.bytes.size());
  return result;
}

Result<Replay> GpuExecutor::record(const std::function<Result<void>()>& work) {
  CONV_TRY_CUDA(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
  const Result<void> enqueued = work();
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &graph);
  if (!enqueued) {
    if (graph) cudaGraphDestroy(graph);
    return tl::unexpected(enqueued.error());
  }
  CONV_TRY_CUDA(ended);
  cudaGraphExec_t ready = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphDestroy(graph);
  CONV_TRY_CUDA(made);
  return Replay(ready);
}

Result<void> GpuExecutor::replay(const Replay& replay) {
  CONV_TRY_CUDA(cudaGraphLaunch(replay.graph(), stream_));
  return {};
}

Result<double> GpuExecutor::link_rate() {
  constexpr std::size_t bytes = 64 << 20;
  HostBuffer host;
  DeviceBuffer device;
  if (auto reserved = host.reserve(bytes, true); !reserved) return tl::unexpected(reserved.error());
  if (auto reserved = device.reserve(bytes); !reserved) return tl::unexpected(reserved.error());
  std::memset(host.data(), 1, bytes);
  EventTimer timer;
  std::vector<float> times;
  for (int i = 0; i < 10; ++i) {
    const auto copied = timer.around(stream_, [&]() -> Result<void> {
      CONV_TRY_CUDA(cudaMemcpyAsync(device.data(), host.data(), bytes, cudaMemcpyHostToDevice, stream_));
      return {};
    });
    if (!copied) return tl::unexpected(copied.error());
    CONV_TRY_CUDA(cudaStreamSynchronize(stream_));
    const auto spans = timer.poll();
    if (!spans) return tl::unexpected(spans.error());
    if (i > 0 && *spans) times.push_back((*spans)->front().ms());  // the first one warms up
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return static_cast<double>(bytes) / (times[times.size() / 2] * 1e6);
}

Result<void> GpuExecutor::finish() {
  CONV_TRY_CUDA(cudaStreamSynchronize(stream_));
  return {};
}

Result<Enqueued> GpuExecutor::enqueue(CompilerClient client, const std::shared_ptr<const LaunchPlan>& plan,
                                      Workspace& workspace, const DeviceImage& source, DeviceImage& target,
                                      const std::shared_ptr<const HostImage>& host) {
  Result<Choice> choice = choose(client, *plan);
  if (!choice) return tl::unexpected(choice.error());
  if (choice->what.running == Running::nothing) return choice->what;
  if (auto resized = target.resize(plan->type_of({ImageRole::target}), plan->image); !resized)
    return tl::unexpected(resized.error());
  const Launch launch{plan, workspace, source, target, *choice};
  if (auto prepared = prepare(launch, host); !prepared) return tl::unexpected(prepared.error());

  const bool spread = plan->spread();
  if (workspace.measured_ || spread)  // streams wait for each other by the timer's events
    if (auto begun = workspace.timer_.begin(stream_, anchor_); !begun) return tl::unexpected(begun.error());
  if (spread) {
    if (auto ran = run_spread(launch); !ran) return tl::unexpected(ran.error());
  } else {
    for (std::size_t i = 0; i < plan->steps.size(); ++i) {
      if (auto ran = run_step(launch, plan->once.size() + i, plan->steps[i], stream_); !ran)
        return tl::unexpected(ran.error());
      if (workspace.measured_)
        if (auto marked = workspace.timer_.mark(stream_); !marked) return tl::unexpected(marked.error());
    }
  }
  if (workspace.measured_) workspace.timer_.finish();
  return choice->what;
}

Result<std::optional<std::vector<StepSpan>>> GpuExecutor::poll(Workspace& workspace) {
  return workspace.timer_.poll();
}

Result<std::optional<Footprint>> GpuExecutor::footprint(const KernelStep& step) {
  const Compiler::Answer answer = compiler_->look_up(job_of(step, step.kernel.name));
  if (answer.state != Compiler::State::ready) return std::nullopt;
  const Result<LoadedKernel*> loaded = library_.load(answer.kernel);
  if (!loaded) return tl::unexpected(loaded.error());
  const void* kernel = reinterpret_cast<const void*>((*loaded)->kernel);
  cudaFuncAttributes attributes{};
  CONV_TRY_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  Footprint footprint{.resources = {.registers = attributes.numRegs,
                                    .shared_bytes = step.shared_bytes + static_cast<int>(attributes.sharedSizeBytes),
                                    .local_bytes = static_cast<int>(attributes.localSizeBytes),
                                    .block = step.block}};
  CONV_TRY_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &footprint.blocks, kernel, static_cast<int>(step.block.area()), static_cast<std::size_t>(step.shared_bytes)));
  return footprint;
}

Result<void> GpuExecutor::check() const {
  const cudaError_t status = cudaStreamQuery(stream_);
  return status == cudaErrorNotReady ? Result<void>{} : cuda_result(status, "a kernel");
}

void reset_device() {
  cudaDeviceReset();
  cudaGetLastError();
}

void GpuExecutor::prefetch(const std::vector<LaunchPlan>& plans) {
  std::vector<CompileJob> jobs;
  for (const LaunchPlan& plan : plans)
    for (const Step* step : all_steps(plan))
      if (const auto* kernel = std::get_if<KernelStep>(step)) jobs.push_back(job_of(*kernel, kernel->kernel.name));
  compiler_->prefetch(std::move(jobs));
}

Result<void> GpuExecutor::compile_now(const LaunchPlan& plan) {
  for (const Step* step : all_steps(plan)) {
    const auto* kernel = std::get_if<KernelStep>(step);
    if (!kernel) continue;
    const Compiler::Answer answer = compiler_->compile_now(job_of(*kernel, kernel->kernel.name));
    if (answer.state == Compiler::State::failed) return failure(answer.error);
  }
  return {};
}

Result<std::vector<StepSpan>> GpuExecutor::run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  if (auto compiled = compile_now(plan); !compiled) return tl::unexpected(compiled.error());
  const auto shared_plan = std::make_shared<const LaunchPlan>(plan);
  const std::shared_ptr<const HostImage> host(std::shared_ptr<void>{}, &source);  // outlives this call
  Workspace workspace;
  DeviceImage device_source, device_target;
  if (auto uploaded = device_source.upload(source, stream_); !uploaded) return tl::unexpected(uploaded.error());
  const Result<Enqueued> enqueued = enqueue({}, shared_plan, workspace, device_source, device_target, host);
  if (!enqueued) return tl::unexpected(enqueued.error());
  CONV_TRY_CUDA(cudaStreamSynchronize(stream_));
  auto spans = poll(workspace);
  if (!spans) return tl::unexpected(spans.error());
  if (plan.transfers()) {
    target = workspace.host_result();
  } else {
    Result<HostImage> downloaded = device_target.download(stream_);
    if (!downloaded) return tl::unexpected(downloaded.error());
    target = std::move(*downloaded);
  }
  return std::move(**spans);
}

void GpuExecutor::reload(std::shared_ptr<const KernelTexts> texts) {
  for (auto& [job, kernel] : compiler_->set_texts(std::move(texts))) last_good_[job] = std::move(kernel);
}
