// Launches plans on the GPU: the only launch in the project. All calls come from one thread.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/gpu/kernel_sources.h"

#include "kernels/gpu/device_image.h"
#include "kernels/gpu/device_info.h"
#include "kernels/gpu/event_timer.h"
#include "kernels/gpu/fft.h"
#include "kernels/gpu/kernel_library.h"

// Owns one texture object over an image in linear memory; made again only when the image or its use changes.
class TextureObject {
 public:
  TextureObject() = default;
  ~TextureObject();
  TextureObject(TextureObject&& other) noexcept { *this = std::move(other); }
  TextureObject& operator=(TextureObject&& other) noexcept;

  Result<cudaTextureObject_t> of(const PixelBuffer& image, PixelType type, Border border);

 private:
  cudaTextureObject_t texture_ = 0;
  PixelBuffer image_{};
  PixelType type_ = PixelType::f32;
  Border border_ = Border::any;
};

// What one lane needs on the device besides source and target, kept from frame to frame.
class Workspace {
 public:
  friend class GpuExecutor;
  // Off: launches are not timed one by one, for callers that time many together.
  void measure(bool on) { measured_ = on; }
  // Of a plan that ends in host memory, once its launch is finished.
  HostImage host_result() const;
  // When the launch polled last began; nothing unless the clocks were joined then.
  std::optional<ClockAnchor::Time> began() const { return timer_.began(); }

 private:
  struct Scratch {
    DeviceImage image;
    int device = 0;
  };
  std::vector<Scratch> scratch_;
  std::map<int, std::vector<DeviceBuffer>> taps_;  // by device
  std::shared_ptr<const LaunchPlan> plan_;         // whose taps are on the device
  HostBuffer host_source_, host_target_;           // of plans that time the transfers
  std::shared_ptr<const HostImage> host_content_;  // what host_source_ holds
  std::vector<TextureObject> textures_;            // one per step that reads through one
  EventTimer timer_;
  bool measured_ = true;
};

// Owns launches that were recorded once. Replaying them costs the host nothing for each: what short kernels are timed
// by.
class Replay {
 public:
  Replay() = default;
  explicit Replay(cudaGraphExec_t graph) : graph_(graph) {}
  ~Replay() {
    if (graph_) cudaGraphExecDestroy(graph_);
  }
  Replay(Replay&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Replay& operator=(Replay&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }
  cudaGraphExec_t graph() const { return graph_; }

 private:
  cudaGraphExec_t graph_ = nullptr;
};

struct Enqueued {
  Running running = Running::nothing;
  std::string
      error;  // of a kernel that does not compile: the last good one runs, or nothing; first line is for the user
};

class GpuExecutor {
 public:
  // Fails in words a user can act on. log receives remarks such as a GPU newer than NVRTC.
  static Result<std::unique_ptr<GpuExecutor>> create(KernelSources& sources, CubinCache cache,
                                                     const std::function<void(std::string)>& log);
  ~GpuExecutor();

  const DeviceInfo& device() const { return device_; }
  Compiler& compiler() { return *compiler_; }
  cudaStream_t stream() const { return stream_; }

  // Work that is not timed, to go before a frame's first launch: after OpenGL has had the GPU, whoever comes first pays
  // for the change of contexts (an H200: 0.17 ms).
  Result<void> wake();
  // Resizes target and queues the plan's steps; waits only where a plan moves pageable memory. While an exact instance
  // is being compiled the general one runs; while neither is there, nothing does. client: whose wishes to the
  // compiler this replaces. host: the source again, for plans that begin in host memory.
  Result<Enqueued> enqueue(CompilerClient client, const std::shared_ptr<const LaunchPlan>& plan, Workspace& workspace,
                           const DeviceImage& source, DeviceImage& target,
                           const std::shared_ptr<const HostImage>& host = nullptr);
  // Records what `work` enqueues instead of running it. Each plan in it has been enqueued before with the same images,
  // and neither measures its steps nor leaves the main stream.
  Result<Replay> record(const std::function<Result<void>()>& work);
  Result<void> replay(const Replay& replay);
  // How fast page-locked memory is copied to the device when nothing else is: 10^9 bytes a second, the median of nine
  // copies of 64 MB. Takes some 100 ms.
  Result<double> link_rate();
  // Waits until all that was queued is done.
  Result<void> finish();
  // When each step of a launch some frames ago ran, once per launch, in order.
  Result<std::optional<std::vector<StepSpan>>> poll(Workspace& workspace);

  // Until part_clocks() all that is begun to be timed can tell when it began by the host's clock: Workspace::began().
  // Waits for what the main stream holds.
  Result<void> join_clocks();
  void part_clocks() { anchor_.reset(); }
  const std::shared_ptr<const ClockAnchor>& anchor() const { return anchor_; }
  // Asks the compiler for what these plans need, when it has nothing better to do.
  void prefetch(const std::vector<LaunchPlan>& plans);

  // Of the exact kernel of a step; nothing while it is not compiled.
  Result<std::optional<Footprint>> footprint(const KernelStep& step);

  // A kernel's fault, noticed some frames later. After it nothing made before can be used: destroy all, reset_device().
  Result<void> check() const;

  // Compiles, uploads, runs and waits: for callers without a window. When each step ran.
  Result<std::vector<StepSpan>> run_now(const LaunchPlan& plan, const HostImage& source, HostImage& target);
  // The first half of that: waits until all kernels of the plan are compiled.
  Result<void> compile_now(const LaunchPlan& plan);

  // Kernel files changed on disk: use the new texts; kernels that compiled before run until theirs are ready.
  void reload(std::shared_ptr<const KernelTexts> texts);

 private:
  GpuExecutor() = default;
  struct Choice {
    std::vector<LoadedKernel*> kernels;  // one per step, those that run once first; null where it is no kernel
    Enqueued what;
  };
  CompileJob job_of(const KernelStep& step, const std::string& instance) const;
  Result<Choice> choose(CompilerClient client, const LaunchPlan& plan);
  struct Launch;  // of one plan, on its images
  Result<void> prepare(const Launch& launch, const std::shared_ptr<const HostImage>& host);
  Result<cudaStream_t> stream_of(int device, int number);
  Result<void> run_spread(const Launch& launch);
  Result<void> run_step(const Launch& launch, std::size_t index, const Step& step, cudaStream_t stream);

  DeviceInfo device_;
  cudaStream_t stream_ = nullptr;
  std::map<std::pair<int, int>, cudaStream_t> more_streams_;  // by device and number, made when a plan first asks
  std::unique_ptr<Compiler> compiler_;
  Fft fft_;
  DeviceBuffer wake_buffer_;
  std::shared_ptr<const ClockAnchor> anchor_;
  KernelLibrary library_;
  std::map<CompileJob, std::shared_ptr<const CompiledKernel>> last_good_;  // of the texts before the last reload
};
// Gives up the device context and everything in it.
void reset_device();
