#include "app/live/edited_compile.h"

#include <algorithm>

#include "app/live/confine.h"
#include "app/live/kernel_worker.h"
#include "app/live/message_bytes.h"
#include "app/live/scratch_folder.h"
#include "app/platform/child_process.h"
#include "kernels/gpu/cuda_roots.h"
#include "kernels/gpu/nvrtc_compile.h"

namespace conv {

namespace {

using Clock = MessageChannel::Clock;

constexpr std::size_t mb = std::size_t{1} << 20;

struct Question {
  std::map<std::string, std::string> files;
  CompileJob job;
  bool counts = false;
  int driver = 0;  // driver_version
};

}  // namespace

template <class M>
static void fields(M& m, Question& q) {
  m(q.files, q.job.file, q.job.instance, q.job.constant_symbol, q.job.options, q.job.architecture, q.counts, q.driver);
}

template <class M>
static void fields(M& m, CountedKernel& k) {
  m(k.kernel.code, k.kernel.symbol, k.kernel.constant, k.resources.registers, k.resources.shared_bytes,
    k.resources.local_bytes);
}

namespace {

Result<CountedKernel> compile(const Question& question) {
  const auto texts = texts_with(question.files);
  if (question.counts) return nvrtc_compile_and_count(*texts, question.job);
  return nvrtc_compile(*texts, question.job).map([](CompiledKernel kernel) {
    return CountedKernel{std::move(kernel), {}};
  });
}

Result<std::string> answer_of_process(const std::string& message) {
  using namespace std::chrono_literals;
  const ScratchFolder scratch = CONV_TRY(ScratchFolder::create());
  const auto process =
      CONV_TRY(ChildProcess::start(worker_arguments(scratch.path(), {.task = std::string(compile_task)})));
  CONV_TRY(process->channel().send(message, Clock::now() + 10s));
  const auto answer = CONV_TRY(process->channel().receive(64 * mb, Clock::now() + 120s));
  if (!answer) return failure("it took longer than two minutes");
  return *answer;
}

Result<CountedKernel> compile_in_process(const KernelTexts& texts, const CompileJob& job, bool counts) {
  Question question{texts.files, job, counts, driver_version()};
  MessageWriter writer;
  writer(question);
  const Result<std::string> answer = answer_of_process(writer.take());
  if (!answer) return failure(job.file + ": it cannot be compiled for the GPU: " + answer.error().text);
  MessageReader reader(*answer);
  std::string error;
  CountedKernel kernel;
  reader(error, kernel);
  if (!error.empty()) return failure(std::move(error));
  // A text of somebody else was compiled there.
  KernelResources& found = kernel.resources;
  for (int* number : {&found.registers, &found.shared_bytes, &found.local_bytes}) *number = std::max(0, *number);
  if (!reader.fits() || kernel.kernel.code.empty()) return failure(job.file + ": it cannot be compiled for the GPU");
  return kernel;
}

}  // namespace

void compile_edited_kernels_in_a_process() {
  set_compiler_of_edited_texts(compile_in_process);
}

static Result<CountedKernel> compiled_for(MessageChannel& parent, const std::filesystem::path& scratch) {
  const std::string message = CONV_TRY(parent.receive(64 * mb)).value_or("");
  Question question;
  MessageReader reader(message);
  reader(question);
  if (!reader.fits() || !question.files.contains(question.job.file)) return failure("the request cannot be read");
  set_driver_version(question.driver);
  nvrtc_version();  // loads NVRTC
  CONV_TRY(confine({.scratch = scratch,
                    .memory_bytes = 4000 * mb,
                    .processor_s = 100,
                    .most_file_bytes = 64 * mb,
                    .hides_files = can_confine(),
                    .readable = cuda_roots()}));
  return compile(question);
}

void compile_for_parent(MessageChannel& parent, const std::filesystem::path& scratch) {
  const Result<CountedKernel> compiled = in_words([&] { return compiled_for(parent, scratch); });
  std::string error = compiled ? "" : compiled.error().text;
  CountedKernel kernel = compiled.value_or(CountedKernel{});
  MessageWriter writer;
  writer(error, kernel);
  static_cast<void>(parent.send(writer.take()));
}

}  // namespace conv
