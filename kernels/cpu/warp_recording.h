// The memory instructions of each warp of one block, recorded from the running kernel: which lanes took part, and with
// which addresses.
#pragma once
#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "kernels/core/plan.h"
#include "kernels/cpu/block_runner.h"
#include "kernels/cpu/memory_rules.h"

namespace conv {

// One instruction of one warp.
struct WarpRequest {
  static constexpr int lanes = 32;

  int warp = 0;
  int site = 0;                          // index in WarpRecording::sites
  int epoch = 0;                         // barriers of the block passed before
  std::array<long long, lanes> address;  // see LaneAccess; -1: the lane takes no part
  std::array<int, lanes> bytes{};

  WarpRequest() { address.fill(-1); }
  // The accesses of the lanes that take part, in order.
  std::vector<LaneAccess> accesses() const;
};

// A line of the kernel that accesses memory in one way.
struct AccessSite {
  conv_cpu::CallSite line;
  conv_cpu::Space space;
  conv_cpu::Access access;
  conv_cpu::Way way;
  int bytes;       // per lane; 0: rows by the copy engine
  int loop_line;   // of the innermost loop around it; 0: none
  int bodies = 0;  // runs of that loop's body in which it was made, of all warps
};

struct WarpRecording {
  Point2 block;
  Size2 threads;
  bool taps_in_global_memory = true;  // false: in constant memory, or constants in its code
  bool reads_global_taps = false;     // whether the recorded kernel has read some of them from global memory
  std::vector<AccessSite> sites;
  std::vector<WarpRequest> requests;   // warp by warp, in the order of the program
  std::map<int, long long> loop_runs;  // how often warps have run the body of each loop, by its line
  // Instructions of all warps that access no memory: values between lanes, and products on tensor cores.
  long long shuffles = 0, matrix_products = 0;
  bool complete = true;  // false: there were more than most_requests
  static constexpr int most_requests = 1 << 19;

  int warps() const { return static_cast<int>((threads.area() + WarpRequest::lanes - 1) / WarpRequest::lanes); }
  int epochs() const;
  // Threads of a warp; the last warp of a block may have fewer than 32.
  int lanes_of(int warp) const;
};

// Sums over the requests of one kind.
struct RequestTotals {
  long long requests = 0;
  long long accesses = 0;     // of lanes that took part
  long long idle_lanes = 0;   // threads of the warp that did not
  long long wavefronts = 0;   // shared memory
  long long sectors = 0;      // global memory, also of taps there; transactions of a G80
  long long moved_bytes = 0;  // the same
  long long used_bytes = 0;   // the same
  long long words = 0;        // taps: different ones per request, added up

  void add(const RequestTotals& other);
};
struct MemoryTotals {
  RequestTotals shared_read, shared_write, global_read, global_write, taps;
  void add(const MemoryTotals& other);
};
// The part that a request adds to.
RequestTotals& part_of(MemoryTotals& totals, const AccessSite& site);
// The totals between two barriers each: one entry per epoch.
std::vector<MemoryTotals> totals_of(const WarpRecording& recording, Generation generation);
// The sum over all epochs.
MemoryTotals sum_of(const WarpRecording& recording, Generation generation);
// What one request adds to its totals.
RequestTotals totals_of(const WarpRecording& recording, const WarpRequest& request, Generation generation);

// Global addresses are those that the images have on a GPU: rows begin at multiples of 32 pixels, and each image at
// address 0. Lanes that run different code make different requests: a request is the n-th access by the same line of
// the kernel in the same run of the loops around it, since the last barrier of the block.
class WarpRecorder : public conv_cpu::AccessSink {
 public:
  explicit WarpRecorder(const KernelStep& step);
  void begin_block(const conv_cpu::ThreadIndex& first_thread) override;
  void access(const MemoryAccess& a) override;
  void leave_out(const MemoryAccess& a) override;
  void exchange(const conv_cpu::ThreadIndex& thread, conv_cpu::Exchange kind, int instructions) override;
  void end_thread(const conv_cpu::ThreadIndex& thread, const conv_cpu::Loops& loops) override;
  void fault(conv_cpu::AccessFault) override {}  // reported where the whole launch is recorded

  WarpRecording finished();

 private:
  // How far a thread has come at one site.
  struct Progress {
    int epoch = -1, count = 0;
    unsigned long long loops = 0;
    int transfer = -1;    // that the last access there belonged to
    long long word = -1;  // its aligned word
    int request = -1;
  };
  struct Thread {
    std::vector<Progress> sites;
    int last = -1;  // its last request
  };
  void add(const MemoryAccess& a, long long address, int bytes, bool takes_part);
  int site_of(const MemoryAccess& a, int bytes);
  // What lanes of a warp must have in common to take part in one request.
  struct Key {
    int warp, site, epoch, count;
    unsigned long long loops;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const;
  };
  int request_of(Thread& thread, const Key& key);

  WarpRecording recording_;
  std::vector<Thread> threads_;
  std::vector<int> first_, next_;  // the order of the requests: the first of each warp, and what follows each
  std::vector<Key> keys_;          // of the requests
  std::unordered_map<Key, int, HashOfKey> requests_;
  std::vector<std::map<int, int>> runs_;  // of each warp, by the loop's line: the most of any of its lanes
};

}  // namespace conv
