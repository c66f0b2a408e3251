#include "kernels/cpu/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "kernels/cpu/guarded_memory.h"
#include "kernels/cpu/kernel_guard.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace conv_cpu {

namespace context = boost::context;

constinit thread_local ThreadIndex* current_thread = nullptr;
constinit thread_local Loops* current_loops = nullptr;

constexpr std::size_t stack_bytes = 64 * 1024;
// Every stack begins at a page. If all their tops were equally far from it, they would compete for the same few places
// in the cache. So fiber i begins (i % stack_places) * stack_distance bytes lower. Boost needs multiples of 256.
constexpr std::size_t stack_places = 64, stack_distance = 256;
constexpr std::size_t shared_guard = 1 << 20;   // more than the largest shared memory
constexpr unsigned char shared_pattern = 0xCD;  // shared memory starts with a pattern that no kernel could rely on

// AddressSanitizer must know of every change of stack.
struct StackBounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};
// A new stack may lie where an old one was. AddressSanitizer still has the marks that frames left in the old one.
static void announce_new([[maybe_unused]] const StackBounds& stack) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack.bottom, stack.size);
#endif
}
static void announce_leaving([[maybe_unused]] void** fake_stack, [[maybe_unused]] const StackBounds& to) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, to.bottom, to.size);
#endif
}
static void announce_arriving([[maybe_unused]] void* fake_stack, [[maybe_unused]] StackBounds* from) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, from ? &from->bottom : nullptr, from ? &from->size : nullptr);
#endif
}

enum class Wait { none, block, warp };

struct BlockFiber {
  context::fiber self, scheduler;
  StackBounds bounds;
  void* fake_stack = nullptr;
  ThreadIndex thread{};
  Wait wait = Wait::none;
  int warp_epoch = 0;
  int exchanges = 0;
  Way way = Way::thread;
  int word = 0, transfers = 0;
  Loops loops;
  unsigned long long loops_of_transfer = 0;
  std::jmp_buf restart;   // where a thread that was stopped ends
  void* stack = nullptr;  // that end uses the stack from here on
};

// Thrown from a barrier to threads that wait there when another thread of the block was stopped.
struct BlockIsAbandoned {};

struct BlockState {
  std::vector<std::unique_ptr<BlockFiber>> fibers;
  std::vector<BlockFiber*> idle, waiting, released;
  BlockFiber* running = nullptr;
  StackBounds scheduler_bounds;
  void* scheduler_fake_stack = nullptr;
  GuardedMemory shared;
  std::vector<unsigned char> exchanged;
  KernelGuard guard;
  const BlockLaunch* launch = nullptr;
  AccessSink* sink = nullptr;
  conv::Point2 block;
  std::optional<conv::Point2> asked;  // for the next access of global memory
  int next_thread = 0, threads = 0, block_epoch = 0;
  bool stopping = false, abandoned = false;
};

static thread_local BlockRunner* current_runner = nullptr;

BlockRunner::BlockRunner() : state_(std::make_unique<BlockState>()) {}

BlockRunner::~BlockRunner() {
  state_->stopping = true;  // each fiber returns from its loop, so no stack is unwound by force
  for (const auto& fiber : state_->fibers) resume(*fiber);
}

BlockFiber& BlockRunner::idle_fiber() {
  BlockState& s = *state_;
  if (s.idle.empty()) {
    context::protected_fixedsize_stack allocator(stack_bytes);
    const context::stack_context stack = allocator.allocate();  // throws if there is no memory
    BlockFiber& fiber = *s.fibers.emplace_back(std::make_unique<BlockFiber>());
    fiber.bounds = {static_cast<char*>(stack.sp) - stack.size, stack.size};
    announce_new(fiber.bounds);
    const std::size_t lower = s.fibers.size() % stack_places * stack_distance;
    fiber.self = context::fiber(
        std::allocator_arg, context::preallocated(static_cast<char*>(stack.sp) - lower, stack.size - lower, stack),
        allocator, [this, &fiber](context::fiber&& scheduler) {
          fiber.scheduler = std::move(scheduler);
          announce_arriving(nullptr, &state_->scheduler_bounds);
          // A thread that was stopped continues here; no other thread of the block begins.
          state_->guard.stack = fiber.stack = static_cast<char*>(__builtin_frame_address(0)) - 8192;
          if (setjmp(fiber.restart) != 0) state_->next_thread = state_->threads;
          while (!state_->stopping) run_threads(fiber);
          announce_leaving(nullptr, state_->scheduler_bounds);
          return std::move(fiber.scheduler);
        });
    s.idle.push_back(&fiber);
  }
  BlockFiber& fiber = *s.idle.back();
  s.idle.pop_back();
  return fiber;
}

void BlockRunner::resume(BlockFiber& fiber) {
  BlockState& s = *state_;
  s.running = &fiber;
  current_thread = &fiber.thread;
  current_loops = &fiber.loops;
  s.guard.restart = &fiber.restart;
  s.guard.stack = fiber.stack;
  s.guard.progress = s.guard.progress + 1;
  announce_leaving(&s.scheduler_fake_stack, fiber.bounds);
  fiber.self = std::move(fiber.self).resume();
  announce_arriving(s.scheduler_fake_stack, nullptr);
}

std::string to_text(CallSite site) {
  const std::string_view file = site.file;
  const std::size_t room = file.rfind("kernels/");
  return fmt::format("{}:{}", room == std::string_view::npos ? file : file.substr(room), site.line);
}

// Switches to the scheduler; returns when the scheduler resumes this fiber.
static void suspend(BlockFiber& fiber, const StackBounds& scheduler) {
  announce_leaving(&fiber.fake_stack, scheduler);
  fiber.scheduler = std::move(fiber.scheduler).resume();
  announce_arriving(fiber.fake_stack, nullptr);
}

// A fiber whose thread has ended takes the next thread, so a kernel without barriers runs on a single fiber.
void BlockRunner::run_threads(BlockFiber& fiber) {
  BlockState& s = *state_;
  while (s.next_thread < s.threads) {
    const int t = s.next_thread++;
    const conv::Size2 block = s.launch->block, grid = s.launch->grid;
    fiber.thread = {.thread = index_of({t % block.width, t / block.width}),
                    .block = index_of(s.block),
                    .block_dim = index_of({block.width, block.height}, 1),
                    .grid_dim = index_of({grid.width, grid.height}, 1)};
    fiber.warp_epoch = 0;
    fiber.exchanges = 0;
    fiber.way = Way::thread;
    fiber.word = 0;
    fiber.loops = {};
    s.guard.progress = s.guard.progress + 1;
    s.guard.in_kernel = 1;
    try {
      s.launch->kernel(s.launch->args);
      s.guard.in_kernel = 0;  // the recording must not be stopped in its middle
      if (s.sink) s.sink->end_thread(fiber.thread, fiber.loops);
    } catch (const BlockIsAbandoned&) {  // NOLINT(bugprone-empty-catch): the thread ends here
    } catch (const std::exception&) {    // of an edited kernel that allocates memory, say
      s.guard.fault = KernelFault::exception;
      s.guard.in_kernel = 0;
      break;
    }
    s.guard.in_kernel = 0;
  }
  fiber.wait = Wait::none;
  suspend(fiber, s.scheduler_bounds);
}

// The threads that wait at a barrier end there.
void BlockRunner::abandon_waiting() {
  BlockState& s = *state_;
  s.abandoned = true;
  s.next_thread = s.threads;
  for (BlockFiber* fiber : std::exchange(s.waiting, {})) {
    resume(*fiber);
    s.idle.push_back(fiber);
  }
  s.abandoned = false;
}

static std::string text_of(KernelFault fault) {
  switch (fault) {
    case KernelFault::memory: return "accessed memory that is not its own";
    case KernelFault::division: return "divided by zero";
    case KernelFault::exception: return "threw an exception: did it ask for too much memory?";
    case KernelFault::endless:
    case KernelFault::none: break;
  }
  return "did not end: is there an endless loop?";
}

static AccessFault some_never_come(const BlockState& s) {
  return {FaultKind::barrier,
          fmt::format("block ({}, {}): {} of {} threads wait at a barrier the others never reach (not portable)",
                      s.block.x, s.block.y, s.waiting.size(), s.threads)};
}

tl::expected<void, AccessFault> BlockRunner::run(const BlockLaunch& launch, conv::Point2 block, AccessSink* sink) {
  BlockState& s = *state_;
  current_runner = this;
  s.launch = &launch;
  s.block = block;
  s.sink = sink;
  if (const auto bytes = static_cast<std::size_t>(launch.shared_bytes); bytes != s.shared.size())
    s.shared = GuardedMemory(bytes, shared_guard);
  if (s.shared.size() > 0) std::memset(s.shared.data(), shared_pattern, s.shared.size());
  s.next_thread = 0;
  s.threads = static_cast<int>(launch.block.area());
  s.block_epoch = 0;
  s.guard.fault = KernelFault::none;
  s.guard.overdue = 0;
  if (sink) sink->begin_block({.block = index_of(block)});

  const auto run_until_wait = [&](BlockFiber& fiber) {
    resume(fiber);
    (fiber.wait == Wait::none ? s.idle : s.waiting).push_back(&fiber);
  };
  const auto stopped = [&] {
    const Index3 thread = s.running->thread.thread;
    abandon_waiting();
    return tl::unexpected(AccessFault{s.guard.fault == KernelFault::endless ? FaultKind::endless : FaultKind::memory,
                                      fmt::format("thread ({}, {}) of block ({}, {}) {}", thread.x, thread.y, block.x,
                                                  block.y, text_of(s.guard.fault))});
  };
  try {
    while (s.next_thread < s.threads && s.guard.fault == KernelFault::none) run_until_wait(idle_fiber());
  } catch (...) {  // no memory for another thread
    abandon_waiting();
    throw;
  }
  if (s.guard.fault != KernelFault::none) return stopped();
  const double began = s.waiting.empty() ? 0 : thread_seconds();
  for (int round = 0; !s.waiting.empty(); ++round) {
    if (round % 256 == 255 && thread_seconds() - began > launch.barriers_s) {
      s.guard.fault = KernelFault::endless;
      return stopped();
    }
    const bool at_warp =
        std::any_of(s.waiting.begin(), s.waiting.end(), [](BlockFiber* f) { return f->wait == Wait::warp; });
    if (!at_warp && static_cast<int>(s.waiting.size()) < s.threads && sink) sink->fault(some_never_come(s));
    s.released.swap(s.waiting);
    s.waiting.clear();
    if (!at_warp) ++s.block_epoch;
    for (BlockFiber* fiber : s.released) {
      const bool stays = (at_warp && fiber->wait == Wait::block) || s.guard.fault != KernelFault::none;
      if (stays)
        s.waiting.push_back(fiber);
      else
        run_until_wait(*fiber);
    }
    if (s.guard.fault != KernelFault::none) return stopped();
  }
  return {};
}

static void wait_at_barrier(BlockState& s, Wait wait) {
  BlockFiber& fiber = *s.running;
  s.guard.in_kernel = 0;
  fiber.wait = wait;
  suspend(fiber, s.scheduler_bounds);
  if (s.abandoned) {
    fiber.wait = Wait::none;
    throw BlockIsAbandoned{};
  }
  s.guard.in_kernel = 1;
}

void block_barrier() {
  // A loop that follows at the same depth counts anew: lanes may have left the last one after different runs.
  if (Loops& loops = *current_loops; loops.depth < Loops::most) loops.levels[loops.depth] = {};
  wait_at_barrier(*current_runner->state_, Wait::block);
}

void warp_barrier() {
  BlockState& s = *current_runner->state_;
  BlockFiber& fiber = *s.running;
  wait_at_barrier(s, Wait::warp);
  ++fiber.warp_epoch;
}

// Two buffers per warp, used alternately: when one is written again, the whole warp has read its last content.
const void* exchange(const void* mine, int bytes, Exchange kind, int instructions) {
  constexpr int lanes = 32, most = 64;
  BlockState& s = *current_runner->state_;
  BlockFiber& fiber = *s.running;
  s.guard.in_kernel = 0;
  const int number = fiber.thread.thread.y * fiber.thread.block_dim.x + fiber.thread.thread.x;
  const std::size_t needed = static_cast<std::size_t>(s.threads + lanes) * 2 * most;
  if (s.exchanged.size() < needed) s.exchanged.resize(needed);
  unsigned char* place = s.exchanged.data() + (number / lanes * 2 + fiber.exchanges++ % 2) * lanes * most;
  std::memcpy(place + number % lanes * bytes, mine, static_cast<std::size_t>(bytes));
  if (s.sink) s.sink->exchange(fiber.thread, kind, instructions);
  warp_barrier();
  return place;
}

// Not in the kernel's file, where each run of a loop is counted. The places of numbers: see matrix_product.h.
void add_matrix_product(const MatrixParts& mine, int lane, float (&sum)[4]) {
  const auto* lanes = static_cast<const MatrixParts*>(exchange(&mine, sizeof(mine), Exchange::matrix_product));
  const MatrixParts *row = lanes + lane / 4 * 4, *column = lanes + lane % 4 * 8;
  for (int k = 0; k < 16; ++k) {
    const int part = k % 8 / 2, half = k / 8;
    for (int i = 0; i < 4; ++i)
      sum[i] += row[part].left[i / 2 + 2 * half][k % 2] * column[i % 2 * 4 + part].right[half][k % 2];
  }
}

void* shared_memory() {
  return current_runner->state_->shared.data();
}

InExecutor::InExecutor() {
  KernelGuard& guard = current_runner->state_->guard;
  guard.in_executor = guard.in_executor + 1;
}

InExecutor::~InExecutor() {
  KernelGuard& guard = current_runner->state_->guard;
  guard.in_executor = guard.in_executor - 1;
}

static unsigned long long name_of(const Loops& loops) {
  unsigned long long name = 0;
  for (int i = 0; i < std::min(loops.depth, Loops::most); ++i) {
    name = (name ^ static_cast<unsigned>(loops.levels[i].line)) * 0x9e3779b97f4a7c15ull;
    name = (name ^ static_cast<unsigned>(loops.levels[i].count)) * 0xc2b2ae3d27d4eb4full;
    name ^= name >> 29;
  }
  return name;
}

Transfer::Transfer(Way way, int word) {
  BlockFiber& fiber = *current_runner->state_->running;
  fiber.loops_of_transfer = name_of(fiber.loops);
  fiber.way = way;
  fiber.word = word;
  ++fiber.transfers;
}

Transfer::~Transfer() {
  BlockFiber& fiber = *current_runner->state_->running;
  fiber.way = Way::thread;
  fiber.word = 0;
}

static AccessSink::MemoryAccess access_of(const BlockState& s, Space space, Access access, int x, int y, CallSite site,
                                          conv::Point2 asked = {}, PixelPart part = {}, conv::Size2 image = {}) {
  const BlockFiber& fiber = *s.running;
  return {.space = space,
          .access = access,
          .x = x,
          .y = y,
          .asked = asked,
          .part = part,
          .image = image,
          .site = site,
          .thread = fiber.thread,
          .block_epoch = s.block_epoch,
          .warp_epoch = fiber.warp_epoch,
          .way = fiber.way,
          .word = fiber.word,
          .transfer = fiber.transfers,
          .loops = fiber.word > 0 ? fiber.loops_of_transfer : name_of(fiber.loops),
          .loop_line = fiber.loops.depth > 0 && fiber.loops.depth <= Loops::most
                           ? fiber.loops.levels[fiber.loops.depth - 1].line
                           : 0};
}

// Calls report(), which says whether the kernel may do what it reports.
template <class Report>
static bool report(BlockState& s, Report report) {
  bool allowed = false;
  {
    const InExecutor finishes;
    allowed = report();
  }
  if (s.guard.overdue) s.guard.stop(KernelFault::endless);
  return allowed;
}

static std::string_view verb(Access access) {
  return access == Access::read ? "reads" : "writes";
}

static void report_outside(BlockState& s, std::string where, std::string what) {
  const Index3 thread = s.running->thread.thread;
  s.sink->fault({FaultKind::memory, fmt::format("{}: thread ({}, {}) of block ({}, {}) {}", where, thread.x, thread.y,
                                                s.block.x, s.block.y, what)});
}

bool trace_pixel(Access access, PixelPart part, int x, int y, int width, int height, CallSite site) {
  BlockState& s = *current_runner->state_;
  return report(s, [&] {
    const conv::Point2 asked = std::exchange(s.asked, std::nullopt).value_or(conv::Point2{x, y});
    if (x < 0 || y < 0 || x >= width || y >= height) {
      report_outside(s, to_text(site),
                     fmt::format("{} pixel ({}, {}), outside the {}x{} image", verb(access), x, y, width, height));
      return false;
    }
    s.sink->access(access_of(s, Space::global, access, x, y, site, asked, part, {width, height}));
    return true;
  });
}

bool trace_shared(Access access, int first_byte, int bytes, CallSite site) {
  BlockState& s = *current_runner->state_;
  return report(s, [&] {
    if (first_byte < 0 || first_byte > s.launch->shared_bytes - bytes) {
      report_outside(
          s, to_text(site),
          fmt::format("{} byte {} of shared memory, which has {}", verb(access), first_byte, s.launch->shared_bytes));
      return false;
    }
    s.sink->access(access_of(s, Space::shared, access, first_byte, bytes, site));
    return true;
  });
}

void trace_no_pixel(PixelPart part, CallSite site) {
  BlockState& s = *current_runner->state_;
  const InExecutor finishes;
  const conv::Point2 asked = std::exchange(s.asked, std::nullopt).value_or(conv::Point2{});
  s.sink->leave_out(access_of(s, Space::global, Access::read, asked.x, asked.y, site, asked, part));
}

void trace_question(int x, int y) {
  current_runner->state_->asked = {x, y};
}

bool trace_tap(const TapIndex& tap, const float* table) {
  BlockState& s = *current_runner->state_;
  return report(s, [&] {
    if (tap < 0 || tap >= s.launch->taps) {
      report_outside(s, to_text(tap.site),
                     fmt::format("reads tap {}; the last one is {}", tap.index, s.launch->taps - 1));
      return false;
    }
    const float* const global = s.launch->args.taps;
    const bool in_constant_memory = table < global || table >= global + s.launch->taps;
    s.sink->access(access_of(s, Space::taps, Access::read, tap, in_constant_memory, tap.site));
    return true;
  });
}

}  // namespace conv_cpu
