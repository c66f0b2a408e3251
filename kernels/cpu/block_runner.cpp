#include "kernels/cpu/block_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace conv_cpu {

namespace context = boost::context;

constinit thread_local ThreadIndex* current_thread = nullptr;

constexpr std::size_t stack_bytes = 64 * 1024;
constexpr unsigned char shared_pattern = 0xCD;  // shared memory starts with a pattern that no kernel could rely on

// AddressSanitizer must know of every change of stack.
struct StackBounds {
  const void* bottom = nullptr;
  std::size_t size = 0;
};
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
};

struct BlockState {
  std::vector<std::unique_ptr<BlockFiber>> fibers;
  std::vector<BlockFiber*> idle, waiting, released;
  BlockFiber* running = nullptr;
  StackBounds scheduler_bounds;
  void* scheduler_fake_stack = nullptr;
  std::vector<unsigned char> shared, exchanged;
  const BlockLaunch* launch = nullptr;
  AccessSink* sink = nullptr;
  conv::Point2 block;
  int next_thread = 0, threads = 0, block_epoch = 0;
  bool stopping = false;
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
    s.fibers.push_back(std::make_unique<BlockFiber>());
    BlockFiber& fiber = *s.fibers.back();
    context::protected_fixedsize_stack allocator(stack_bytes);
    const context::stack_context stack = allocator.allocate();
    fiber.bounds = {static_cast<char*>(stack.sp) - stack.size, stack.size};
    fiber.self = context::fiber(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), allocator,
                                [this, &fiber](context::fiber&& scheduler) {
                                  fiber.scheduler = std::move(scheduler);
                                  announce_arriving(nullptr, &state_->scheduler_bounds);
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
  announce_leaving(&s.scheduler_fake_stack, fiber.bounds);
  fiber.self = std::move(fiber.self).resume();
  announce_arriving(s.scheduler_fake_stack, nullptr);
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
    fiber.thread = {.thread = {t % block.width, t / block.width, 0},
                    .block = {s.block.x, s.block.y, 0},
                    .block_dim = {block.width, block.height, 1},
                    .grid_dim = {grid.width, grid.height, 1}};
    fiber.warp_epoch = 0;
    fiber.exchanges = 0;
    s.launch->kernel(s.launch->args);
  }
  fiber.wait = Wait::none;
  suspend(fiber, s.scheduler_bounds);
}

void BlockRunner::run(const BlockLaunch& launch, conv::Point2 block, AccessSink* sink) {
  BlockState& s = *state_;
  current_runner = this;
  s.launch = &launch;
  s.block = block;
  s.sink = sink;
  s.shared.assign(static_cast<std::size_t>(launch.shared_bytes), shared_pattern);
  s.next_thread = 0;
  s.threads = static_cast<int>(launch.block.area());
  s.block_epoch = 0;
  if (sink) sink->begin_block({.block = {block.x, block.y, 0}});

  const auto run_until_wait = [&](BlockFiber& fiber) {
    resume(fiber);
    (fiber.wait == Wait::none ? s.idle : s.waiting).push_back(&fiber);
  };
  while (s.next_thread < s.threads) run_until_wait(idle_fiber());
  while (!s.waiting.empty()) {
    const bool at_warp =
        std::any_of(s.waiting.begin(), s.waiting.end(), [](BlockFiber* f) { return f->wait == Wait::warp; });
    if (!at_warp && static_cast<int>(s.waiting.size()) < s.threads && sink)
      sink->fault(
          fmt::format("block ({}, {}): {} of {} threads wait at a barrier the others never reach (not portable)",
                      block.x, block.y, s.waiting.size(), s.threads));
    s.released.swap(s.waiting);
    s.waiting.clear();
    if (!at_warp) ++s.block_epoch;
    for (BlockFiber* fiber : s.released) {
      if (at_warp && fiber->wait == Wait::block)
        s.waiting.push_back(fiber);
      else
        run_until_wait(*fiber);
    }
  }
}

void block_barrier() {
  BlockState& s = *current_runner->state_;
  s.running->wait = Wait::block;
  suspend(*s.running, s.scheduler_bounds);
}

void warp_barrier() {
  BlockState& s = *current_runner->state_;
  BlockFiber& fiber = *s.running;
  fiber.wait = Wait::warp;
  suspend(fiber, s.scheduler_bounds);
  ++fiber.warp_epoch;
}

// Two buffers per warp, used alternately: when one is written again, the whole warp has read its last content.
const void* exchange(const void* mine, int bytes) {
  constexpr int lanes = 32, most = 64;
  BlockState& s = *current_runner->state_;
  BlockFiber& fiber = *s.running;
  const int number = fiber.thread.thread.y * fiber.thread.block_dim.x + fiber.thread.thread.x;
  const std::size_t needed = static_cast<std::size_t>(s.threads + lanes) * 2 * most;
  if (s.exchanged.size() < needed) s.exchanged.resize(needed);
  unsigned char* place = s.exchanged.data() + (number / lanes * 2 + fiber.exchanges++ % 2) * lanes * most;
  std::memcpy(place + number % lanes * bytes, mine, static_cast<std::size_t>(bytes));
  warp_barrier();
  return place;
}

void* shared_memory() {
  return current_runner->state_->shared.data();
}

void trace(Space space, Access access, int x, int y) {
  BlockState& s = *current_runner->state_;
  s.sink->access(space, access, x, y, s.running->thread, s.block_epoch, s.running->warp_epoch);
}

}  // namespace conv_cpu
