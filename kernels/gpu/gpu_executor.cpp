#include "kernels/gpu/gpu_executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/gpu/cuda_check.h"

Result<std::unique_ptr<GpuExecutor>> GpuExecutor::create(KernelSources& sources, CubinCache cache,
                                                         const std::function<void(std::string)>& log) {
  Result<DeviceInfo> device = query_device();
  if (!device) return tl::unexpected(device.error());
  const std::vector<int> known = nvrtc_architectures();
  const int own = device->compute_capability;
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

Result<GpuExecutor::Choice> GpuExecutor::choose(int lane, const LaunchPlan& plan) {
  Choice choice;
  choice.what.running = Running::exact;
  std::vector<CompileJob> generals, exacts;
  for (const Step& any_step : plan.steps) {
    const auto& step = std::get<KernelStep>(any_step);
    std::shared_ptr<const CompiledKernel> code;
    for (const std::string* instance : {&step.kernel.name, &step.kernel.general}) {
      const CompileJob job = job_of(step, *instance);
      const Compiler::Answer answer = compiler_->look_up(job);
      if (answer.state == Compiler::State::ready) {
        code = answer.kernel;
        break;
      }
      if (answer.state == Compiler::State::failed)
        choice.what.error = answer.error;
      else
        (instance == &step.kernel.name ? exacts : generals).push_back(job);
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
  if (!generals.empty()) compiler_->request(lane, std::move(generals));
  return choice;
}

Result<void> GpuExecutor::prepare(const std::shared_ptr<const LaunchPlan>& plan, Workspace& workspace,
                                  const Choice& choice) {
  if (workspace.plan_ != plan) {
    workspace.scratch_.resize(std::max(workspace.scratch_.size(), plan->scratch.size()));
    for (std::size_t i = 0; i < plan->scratch.size(); ++i)
      if (auto resized = workspace.scratch_[i].resize(plan->scratch[i].type, plan->scratch[i].size); !resized)
        return resized;
    workspace.taps_.resize(std::max(workspace.taps_.size(), plan->tables.size()));
    for (std::size_t i = 0; i < plan->tables.size(); ++i) {
      const std::vector<float>& values = plan->tables[i].values;
      const std::size_t bytes = values.size() * sizeof(float);
      if (bytes == 0) continue;  // of a step without taps
      if (auto reserved = workspace.taps_[i].reserve(bytes); !reserved) return reserved;
      CONV_TRY_CUDA(cudaMemcpyAsync(workspace.taps_[i].data(), values.data(), bytes, cudaMemcpyHostToDevice, stream_));
    }
    workspace.plan_ = plan;
  }
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    LoadedKernel& kernel = *choice.kernels[i];
    const auto& step = std::get<KernelStep>(plan->steps[i]);
    if (kernel.constant && kernel.constant_content != plan) {
      const std::vector<float> values = plan->constants();  // pageable: copied before the call returns
      CONV_TRY_CUDA(cudaMemcpyAsync(kernel.constant, values.data(), values.size() * sizeof(float),
                                    cudaMemcpyHostToDevice, stream_));
      kernel.constant_content = plan;
    }
    if (step.shared_bytes > kernel.shared_limit) {
      CONV_TRY_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel.kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, step.shared_bytes));
      kernel.shared_limit = step.shared_bytes;
    }
  }
  return {};
}

Result<void> GpuExecutor::launch(const KernelStep& step, LoadedKernel& kernel, ConvArgs args) {
  void* parameters[] = {&args};
  const cudaLaunchConfig_t config{
      .gridDim = dim3(step.grid.width, step.grid.height),
      .blockDim = dim3(step.block.width, step.block.height),
      .dynamicSmemBytes = static_cast<std::size_t>(step.shared_bytes),
      .stream = stream_,
  };
  CONV_TRY_CUDA(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel.kernel), parameters));
#if defined(CONV_SYNC_LAUNCHES)
  CONV_TRY_CUDA(cudaStreamSynchronize(stream_));
#endif
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

Result<Enqueued> GpuExecutor::enqueue(int lane, const std::shared_ptr<const LaunchPlan>& plan, Workspace& workspace,
                                      const DeviceImage& source, DeviceImage& target) {
  Result<Choice> choice = choose(lane, *plan);
  if (!choice) return tl::unexpected(choice.error());
  if (choice->what.running == Running::nothing) return choice->what;
  if (auto resized = target.resize(plan->type_of({ImageRole::target}), plan->image); !resized)
    return tl::unexpected(resized.error());
  if (auto prepared = prepare(plan, workspace, *choice); !prepared) return tl::unexpected(prepared.error());

  const auto buffer = [&](ImageRef ref) {
    switch (ref.role) {
      case ImageRole::source: return source.buffer();
      case ImageRole::target: return target.buffer();
      case ImageRole::scratch: break;
    }
    return workspace.scratch_[ref.index].buffer();
  };
  if (workspace.measured_)
    if (auto begun = workspace.timer_.begin(stream_); !begun) return tl::unexpected(begun.error());
  for (std::size_t i = 0; i < plan->steps.size(); ++i) {
    const auto& step = std::get<KernelStep>(plan->steps[i]);
    ConvArgs args = args_of(step, *plan, buffer, static_cast<const float*>(workspace.taps_[step.taps].data()));
    if (step.through_texture) {
      workspace.textures_.resize(std::max(workspace.textures_.size(), i + 1));
      const auto texture = workspace.textures_[i].of(args.source, plan->type_of(step.reads), step.border);
      if (!texture) return tl::unexpected(texture.error());
      args.texture = *texture;
    }
    if (auto launched = launch(step, *choice->kernels[i], args); !launched) return tl::unexpected(launched.error());
    if (workspace.measured_)
      if (auto marked = workspace.timer_.mark(stream_); !marked) return tl::unexpected(marked.error());
  }
  if (workspace.measured_) workspace.timer_.finish();
  return choice->what;
}

Result<std::optional<std::vector<float>>> GpuExecutor::poll(Workspace& workspace) {
  return workspace.timer_.poll();
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
    for (const Step& step : plan.steps)
      if (const auto* kernel = std::get_if<KernelStep>(&step)) jobs.push_back(job_of(*kernel, kernel->kernel.name));
  compiler_->prefetch(std::move(jobs));
}

Result<std::vector<float>> GpuExecutor::run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target) {
  for (const Step& step : plan.steps) {
    const auto& kernel = std::get<KernelStep>(step);
    const Compiler::Answer answer = compiler_->compile_now(job_of(kernel, kernel.kernel.name));
    if (answer.state == Compiler::State::failed) return failure(answer.error);
  }
  const auto shared_plan = std::make_shared<const LaunchPlan>(plan);
  Workspace workspace;
  DeviceImage device_source, device_target;
  if (auto uploaded = device_source.upload(source, stream_); !uploaded) return tl::unexpected(uploaded.error());
  const Result<Enqueued> enqueued = enqueue(0, shared_plan, workspace, device_source, device_target);
  if (!enqueued) return tl::unexpected(enqueued.error());
  CONV_TRY_CUDA(cudaStreamSynchronize(stream_));
  auto times = poll(workspace);
  if (!times) return tl::unexpected(times.error());
  Result<HostImage> downloaded = device_target.download(stream_);
  if (!downloaded) return tl::unexpected(downloaded.error());
  target = std::move(*downloaded);
  return std::move(**times);
}

void GpuExecutor::reload(std::shared_ptr<const KernelTexts> texts) {
  for (auto& [job, kernel] : compiler_->set_texts(std::move(texts))) last_good_[job] = std::move(kernel);
}
