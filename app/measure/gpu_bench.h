// The interface between the bench engine and a GPU: samples of plans that run on it.
#pragma once
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

#include "app/headless/headless_gpu.h"
#include "app/measure/bench_rows.h"
#include "kernels/ops/peers.h"

namespace conv {

// A row that is being measured.
struct BenchEntry {
  BenchRow row;
  std::shared_ptr<const Taps> taps;
  std::shared_ptr<const LaunchPlan> plan;  // null: refused
  float tolerance = 0;
  const Peer* peer = nullptr;
  HostImage result;

  // A wrong result has no time.
  void refuse_time(std::string why) {
    row.text = std::move(why);
    row.ms.clear();
  }
  void refuse(const std::string& why) {
    plan = nullptr;
    row.state = RowState::refused;
    row.text = why.substr(0, why.find('\n'));
  }
};

struct GpuBenchJob {
  const BenchProtocol& protocol;
  bool copies;      // also by the host's clock, with the copies to the device and back
  bool cools_down;  // waits for a GPU that is throttling
  std::function<const HostImage&(const BenchPoint&)> source;
  std::function<void(std::string_view)> tell;  // reports waiting, as BenchEngine::on_waiting
  std::stop_token stop;
};

class GpuBench {
 public:
  virtual ~GpuBench() = default;
  // Times and results of the entries, in turns, round by round. An entry that cannot run is refused. An error means
  // that the GPU is unusable. False: it was still throttling after the wait.
  virtual Result<bool> measure(const std::vector<BenchEntry*>& entries, const GpuBenchJob& job) = 0;
  // Takes half a second.
  virtual Result<Ceilings> ceilings() = 0;
};
// Defined in app/gpu.
std::unique_ptr<GpuBench> gpu_bench(HeadlessGpu& gpu);

}  // namespace conv
