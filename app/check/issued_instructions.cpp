#include "app/check/issued_instructions.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace conv {

namespace {

using conv_cpu::Access;
using conv_cpu::Space;

struct Instruction {
  std::string operation;  // "LDG.E.128"
  bool predicated = false;
  std::string target;  // the label that it jumps to
  int line = 0;        // in the kernel's file
  int innermost = 0;   // see CompiledText
};

struct BasicBlock {
  int first = 0, end = 0;
  std::vector<int> next;
};

// Code from its first basic block on; labels begin one, and what follows a jump.
struct Program {
  std::vector<Instruction> instructions;
  std::vector<BasicBlock> blocks;
};

bool ends_block(const Instruction& i) {
  return i.operation.starts_with("BRA") || i.operation.starts_with("EXIT") || i.operation.starts_with("RET") ||
         i.operation.starts_with("BRX") || i.operation.starts_with("JMP");
}

Program program_of(const CompiledText& code) {
  Program program;
  std::map<std::string, int> labels;
  std::set<int> begins{0};
  std::istringstream lines(code.text);
  std::string line;
  for (std::size_t number = 0; std::getline(lines, line); ++number) {
    if (line.starts_with(".L_")) {
      labels[line.substr(0, line.find(':'))] = static_cast<int>(program.instructions.size());
      begins.insert(static_cast<int>(program.instructions.size()));
      continue;
    }
    const std::string_view operation = operation_of(line);
    if (operation.empty()) continue;
    Instruction i{.operation = std::string(operation), .line = code.lines[number], .innermost = code.innermost[number]};
    const std::size_t comment = line.find("*/");
    i.predicated = comment != line.npos && line.find('@', comment) != line.npos && line.find("@!PT") == line.npos;
    if (const std::size_t label = line.find("`(.L_"); ends_block(i) && label != line.npos)
      i.target = line.substr(label + 2, line.find(')', label) - label - 2);
    program.instructions.push_back(std::move(i));
    if (ends_block(program.instructions.back())) begins.insert(static_cast<int>(program.instructions.size()));
  }
  begins.erase(static_cast<int>(program.instructions.size()));
  std::map<int, int> block_at;
  for (const int first : begins) {
    block_at[first] = static_cast<int>(program.blocks.size());
    if (!program.blocks.empty()) program.blocks.back().end = first;
    program.blocks.push_back({.first = first, .end = static_cast<int>(program.instructions.size())});
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    BasicBlock& block = program.blocks[b];
    const Instruction& last = program.instructions[block.end - 1];
    if (!last.target.empty())
      if (const auto at = labels.find(last.target); at != labels.end())
        if (const auto to = block_at.find(at->second); to != block_at.end()) block.next.push_back(to->second);
    if ((!ends_block(last) || last.predicated) && b + 1 < program.blocks.size())
      block.next.push_back(static_cast<int>(b) + 1);
  }
  return program;
}

// A natural loop, or the whole code.
struct Loop {
  int header = 0, latch = 0;  // blocks: where it begins, and which jumps back
  std::set<int> blocks;
  std::vector<int> own;       // blocks that are in no loop within it
  std::vector<int> children;  // the loops directly within it
};

// Which blocks every way to a block passes.
std::vector<std::vector<bool>> dominators_of(const Program& program, const std::vector<std::vector<int>>& before) {
  const std::size_t count = program.blocks.size();
  std::vector<std::vector<bool>> dominated(count, std::vector<bool>(count, true));
  dominated[0].assign(count, false);
  dominated[0][0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 1; b < count; ++b) {
      std::vector<bool> by(count, !before[b].empty());
      for (const int from : before[b])
        for (std::size_t d = 0; d < count; ++d) by[d] = by[d] && dominated[from][d];
      by[b] = true;
      changed = changed || by != dominated[b];
      dominated[b] = std::move(by);
    }
  }
  return dominated;
}

// From the innermost loops to the whole code, which is the last.
std::vector<Loop> loops_of(const Program& program) {
  const auto count = static_cast<int>(program.blocks.size());
  std::vector<std::vector<int>> before(program.blocks.size());
  for (int b = 0; b < count; ++b)
    for (const int next : program.blocks[b].next) before[next].push_back(b);
  const auto dominated = dominators_of(program, before);
  std::map<int, Loop> found;  // by header
  for (int b = 0; b < count; ++b)
    for (const int header : program.blocks[b].next) {
      if (!dominated[b][header]) continue;
      Loop& loop = found[header];
      loop.header = header;
      loop.latch = b;
      loop.blocks.insert(header);
      for (std::vector<int> open{b}; !open.empty();) {
        const int block = open.back();
        open.pop_back();
        if (loop.blocks.insert(block).second) open.insert(open.end(), before[block].begin(), before[block].end());
      }
    }
  std::vector<Loop> loops;
  for (auto& [header, loop] : found) loops.push_back(std::move(loop));
  std::ranges::sort(loops, {}, [](const Loop& loop) { return loop.blocks.size(); });
  Loop& all = loops.emplace_back();
  for (std::vector<int> open{0}; !open.empty();) {  // behind its end, code has a jump and padding that nobody reaches
    const int block = open.back();
    open.pop_back();
    if (all.blocks.insert(block).second)
      open.insert(open.end(), program.blocks[block].next.begin(), program.blocks[block].next.end());
  }
  std::vector<bool> owned(program.blocks.size());
  for (std::size_t l = 0; l < loops.size(); ++l) {
    for (const int block : loops[l].blocks)
      if (!owned[block]) {
        owned[block] = true;
        loops[l].own.push_back(block);
      }
    for (std::size_t outer = l + 1; outer < loops.size(); ++outer)
      if (loops[outer].blocks.contains(loops[l].header)) {
        loops[outer].children.push_back(static_cast<int>(l));
        break;
      }
  }
  return loops;
}

// What an instruction accesses, and how many bytes a thread.
struct MemoryUse {
  bool global, write;
  int bytes;
};
std::optional<MemoryUse> memory_use_of(std::string_view operation) {
  MemoryUse use{.global = operation.starts_with("LDG") || operation.starts_with("STG"),
                .write = operation.starts_with("ST"),
                .bytes = 4};
  if (operation.starts_with("LDGSTS") || operation.starts_with("LDGDEPBAR")) return {};
  if (!use.global && !operation.starts_with("LDS") && !operation.starts_with("STS")) return {};
  for (const auto& [word, bytes] :
       {std::pair{".128", 16}, {".64", 8}, {".U8", 1}, {".S8", 1}, {".U16", 2}, {".S16", 2}, {".8", 1}, {".16", 2}})
    if (operation.find(word) != operation.npos) {
      use.bytes = bytes;
      break;
    }
  return use;
}

// Accesses of one kind by one line of the kernel.
struct AccessKind {
  int line;
  bool global, write;
  friend auto operator<=>(const AccessKind&, const AccessKind&) = default;
};
using Bytes = std::map<AccessKind, double>;  // per lane

double sum_of(const Bytes& bytes) {
  double sum = 0;
  for (const auto& [kind, count] : bytes) sum += count;
  return sum;
}

// What the warps of the block access, added up. In some runs of the loop around an access no lane of a warp takes part,
// but its instructions are issued: they count too.
Bytes accessed_bytes(const WarpRecording& recording) {
  Bytes bytes;
  for (const WarpRequest& request : recording.requests) {
    const AccessSite& site = recording.sites[request.site];
    const bool in_constant_memory = site.space == Space::taps && !recording.taps_in_global_memory;
    if (site.way != conv_cpu::Way::thread || in_constant_memory) continue;
    const auto loop = recording.loop_runs.find(site.loop_line);
    const double times = loop == recording.loop_runs.end()
                             ? 1
                             : std::max(1.0, static_cast<double>(loop->second) / std::max(1, site.bodies));
    bytes[{site.line.line, site.space != Space::shared, site.access == Access::write}] +=
        times * *std::ranges::max_element(request.bytes);
  }
  return bytes;
}

// Shares what was accessed among the copies of the code that access it. The compiler unrolls loops, often more than
// once, and has further copies for what is left: the largest copies run first, as often as they fit.
class RunCounter {
 public:
  RunCounter(const Program& program, const WarpRecording& recording)
      : program_(program),
        recording_(recording),
        accessed_(accessed_bytes(recording)),
        loops_(loops_of(program)),
        runs_(program.blocks.size()) {}

  // How often the warps of the block run each basic block.
  std::vector<double> count() {
    count(loops_.back(), recording_.warps());
    return std::move(runs_);
  }

 private:
  Bytes bytes_of(int block) const {
    Bytes bytes;
    for (int i = program_.blocks[block].first; i < program_.blocks[block].end; ++i) {
      const Instruction& instruction = program_.instructions[i];
      const auto use = memory_use_of(instruction.operation);
      if (use && accessed_.contains({instruction.line, use->global, use->write}))
        bytes[{instruction.line, use->global, use->write}] += use->bytes;
    }
    return bytes;
  }
  Bytes bytes_of(const Loop& loop) const {
    Bytes all;
    for (const int block : loop.own)
      for (const auto& [kind, bytes] : bytes_of(block)) all[kind] += bytes;
    return all;
  }
  // How often a loop turns each time it is reached, by the loop of the kernel that it comes from; 0: unknown.
  double turns_by_line(const Loop& loop, double times) const {
    const Instruction& jump = program_.instructions[program_.blocks[loop.latch].end - 1];
    for (const int line : {jump.innermost, jump.line})
      if (const auto found = recording_.loop_runs.find(line); found != recording_.loop_runs.end())
        return static_cast<double>(found->second) / times;
    return 0;
  }

  // times: how often the loop's body runs.
  void count(const Loop& loop, double times) {
    if (times <= 0) return;
    // Per run of the body: what the copies within it access if each runs once, and what is still to be accessed.
    Bytes copies = bytes_of(loop), rest;
    std::vector<std::pair<const Loop*, Bytes>> children;
    for (const int child : loop.children) {
      children.emplace_back(&loops_[child], bytes_of(loops_[child]));
      for (const auto& [kind, bytes] : children.back().second) copies[kind] += bytes;
    }
    for (const auto& [kind, bytes] : copies) rest[kind] = accessed_.at(kind) / times;
    std::ranges::stable_sort(children, std::greater(), [](const auto& child) { return sum_of(child.second); });
    for (const auto& [child, bytes] : children) {
      const double by_line = bytes.empty() || !child->children.empty() ? turns_by_line(*child, times) : 0;
      double turns = by_line;
      for (const auto& [kind, once] : bytes) {
        copies[kind] -= once;
        const double fits = rest[kind] / once;
        if (by_line == 0) turns = std::max(turns, copies[kind] > 0 ? std::floor(fits + 1e-6) : fits);
      }
      for (const auto& [kind, once] : bytes) rest[kind] = by_line > 0 ? 0 : std::max(0.0, rest[kind] - turns * once);
      count(*child, times * turns);
    }
    for (const int block : loop.own) {
      const Bytes bytes = bytes_of(block);
      double share = bytes.empty() ? 1 : 0;
      for (const auto& [kind, once] : bytes) share = std::max(share, std::min(1.0, rest[kind] / once));
      for (const auto& [kind, once] : bytes) rest[kind] -= share * once;
      runs_[block] = times * share;
    }
  }

  const Program& program_;
  const WarpRecording& recording_;
  Bytes accessed_;
  std::vector<Loop> loops_;
  std::vector<double> runs_;
};

}  // namespace

std::optional<IssuedInstructions> issued_instructions(const CompiledText& code, std::string_view file,
                                                      const WarpRecording& recording) {
  const auto in_file = [&](const AccessSite& site) { return std::string_view(site.line.file).ends_with(file); };
  if (!recording.complete || !std::ranges::all_of(recording.sites, in_file)) return {};
  const Program program = program_of(code);
  if (program.blocks.empty()) return {};
  const std::vector<double> runs = RunCounter(program, recording).count();
  IssuedInstructions issued;
  for (std::size_t b = 0; b < runs.size(); ++b)
    for (int i = program.blocks[b].first; i < program.blocks[b].end; ++i) {
      const std::string& operation = program.instructions[i].operation;
      issued.all += runs[b];
      if (operation.starts_with("FFMA")) issued.multiply_adds += runs[b];
      if (memory_use_of(operation)) issued.accesses += runs[b];
    }
  return issued;
}

}  // namespace conv
