// NVRTC compiles every kernel instance for the oldest and the newest architecture. Needs no GPU.
#include "kernels/gpu/nvrtc_compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <thread>

#include "app/live/edited_compile.h"
#include "app/live/kernel_worker.h"
#include "app/live/puzzle.h"
#include "kernels/gpu/compiler.h"
#include "kernels/gpu/cubin_cache.h"
#include "kernels/ops/ceilings.h"
#include "kernels/ops/peers.h"
#include "kernels/ops/whole_images.h"
#include "kernels/variants/support/declared.h"
#include "support.h"

namespace conv {

namespace {

std::vector<std::string> architectures() {
  return {"sm_75", "sm_" + std::to_string(nvrtc_architectures().back())};
}

std::set<CompileJob> jobs_of(const Variant& variant, const FilterSpec& filter, PixelType format, Border border) {
  const auto plan =
      plan_of({.variant = std::string(variant.id), .format = format}, {.filter = filter, .border = border},
              std::make_shared<Taps>(*taps_of(filter)), {640, 480}, cpu_limits());
  std::set<CompileJob> jobs;
  if (!plan) return jobs;
  for (const Step* any_step : all_steps(*plan))
    if (const auto* step = std::get_if<KernelStep>(any_step))
      for (const std::string& instance : {step->kernel.exact.text(), step->kernel.general.text()})
        jobs.insert({.file = std::string(step->kernel.file),
                     .instance = instance,
                     .constant_symbol = std::string(step->kernel.constant_symbol)});
  return jobs;
}

// NVRTC accepts the options of the switches, and they change the code if they should.
TEST(Nvrtc, CompilesEverySwitch) {
  const KernelSources sources;
  const auto code = [&](const char* variant, const char* set, PixelType format = PixelType::f32) -> std::string {
    LaneSettings lane{.variant = variant, .format = format};
    EXPECT_TRUE(!*set || set_from_text(lane.switches, set));
    const auto taps = std::make_shared<Taps>(*taps_of({.radius = 2}));
    const auto plan = plan_of(lane, {.filter = {.radius = 2}}, taps, {64, 64}, {});
    EXPECT_TRUE(plan) << plan.error().text;
    const auto& kernel = std::get<KernelStep>(plan->steps.back()).kernel;
    const auto compiled = nvrtc_compile(*sources.texts(), {.file = std::string(kernel.file),
                                                           .instance = kernel.exact.text(),
                                                           .constant_symbol = std::string(kernel.constant_symbol),
                                                           .options = kernel.options,
                                                           .architecture = "sm_90"});
    EXPECT_TRUE(compiled) << set << ": " << compiled.error().text;
    return compiled ? compiled->code : "";
  };
  const std::string plain = code("tile_unrolled", "");
  EXPECT_EQ(code("tile_unrolled", ""), plain);
  for (const char* set : {"restrict=on", "fma=off", "unroll=off", "fixed_size=none"})
    EXPECT_NE(code("tile_unrolled", set), plain) << set;
  EXPECT_EQ(code("tile_unrolled", "fixed_size=published"), plain);  // 5x5 is one of them
  for (const char* set : {"boundary=branch", "boundary=pre_pad"}) EXPECT_NE(code("global", set), code("global", ""));
  for (const PixelType format : {PixelType::rgb8, PixelType::rgb32f})
    EXPECT_NE(code("global", "packed=on", format), code("global", "", format));
  for (const PixelType format : {PixelType::f16, PixelType::rgba16f})
    EXPECT_NE(code("tile_unrolled", "accumulate=half", format), code("tile_unrolled", "", format));
  EXPECT_NE(code("separable_tensor", "products=fast"), code("separable_tensor", ""));
  code("tile_linear", "barrier=off");
  code("separable_whitepaper", "align=on");
}

// The kernels of the puzzles are CUDA, too.
TEST(Nvrtc, CompilesThePuzzles) {
  KernelTexts texts = *KernelSources().texts();
  for (const Puzzle& puzzle : puzzles()) {
    const CheckTask task = *check_task(check_name(puzzle));
    const auto plan = plan_case(puzzle.launch, task.counted, cpu_limits());
    ASSERT_TRUE(plan) << plan.error().text;
    for (const std::string& text : {starting_kernel(puzzle), solution_of(puzzle)}) {
      texts.files[std::string(declared_kernel_file)] = text;
      for (const Step& step : plan->steps) {
        const KernelInstance& kernel = std::get<KernelStep>(step).kernel;
        const auto compiled = nvrtc_compile(texts, {.file = std::string(kernel.file),
                                                    .instance = kernel.exact.text(),
                                                    .constant_symbol = std::string(kernel.constant_symbol),
                                                    .architecture = architectures().back()});
        EXPECT_TRUE(compiled) << title_of(puzzle) << ": " << compiled.error().text;
      }
    }
  }
}

// Every radius and every format of each variant, the rest in turn, because template parameters are independent of each
// other and of the architecture. Each variant has instances for each architecture.
std::map<std::string, std::set<CompileJob>> all_jobs() {
  std::vector<FilterSpec> checked;
  for (const int radius : {0, 1, 2, 5, 8, 17}) checked.push_back({.radius = radius});
  for (const char* text : {"1 2 1; 2 4 2; 1 2 1", "1 2 3 4 5; 5 4 3 2 1; 0 1 0 1 0", "1; 2; 1"})
    checked.push_back({.kind = FilterKind::custom, .matrix = *parse_matrix(text)});
  std::map<std::string, std::set<CompileJob>> jobs;
  std::size_t turn = 0;
  const auto next = [&](const auto& list) { return list[turn++ % std::size(list)]; };
  const std::vector<std::string> targets = architectures();
  for (const Variant* variant : variants()) {
    std::vector<FilterSpec> of_this = checked;
    if (variant->fuses_edges) of_this = {{.kind = FilterKind::edges, .radius = 3}};
    if (variant->needs_equal_taps)
      for (FilterSpec& filter : of_this) filter.kind = FilterKind::box;
    for (const FilterSpec& filter : of_this) {
      const auto found = jobs_of(*variant, filter, next(pixel_types).type, next(borders).border);
      jobs[next(targets)].insert(found.begin(), found.end());
    }
    for (const PixelTypeInfo& format : pixel_types)
      jobs[next(targets)].merge(jobs_of(*variant, next(of_this), format.type, next(borders).border));
  }
  const Variant& chained = *find_variant("global");  // and the op that combines two images
  for (const PixelTypeInfo& format : pixel_types)
    jobs[next(targets)].merge(
        jobs_of(chained, {.kind = FilterKind::edges, .radius = 3}, format.type, next(borders).border));
  return jobs;
}

class NvrtcFor : public testing::TestWithParam<const char*> {};
TEST_P(NvrtcFor, CompilesEveryInstance) {
  const std::string architecture =
      GetParam() == std::string("oldest") ? architectures().front() : architectures().back();
  const KernelSources sources;
  const std::set<CompileJob> jobs = all_jobs()[architecture];
  ASSERT_GT(jobs.size(), 300u);
  for (CompileJob job : jobs) {
    job.architecture = architecture;
    const auto compiled = nvrtc_compile(*sources.texts(), job);
    ASSERT_TRUE(compiled) << architecture << " " << job.instance << "\n" << compiled.error().text;
    EXPECT_FALSE(compiled->code.empty());
    // NVRTC puts the time into the name of what has internal linkage, so that the same kernel would compile to other
    // code.
    EXPECT_EQ(compiled->code.find("_INTERNAL_"), std::string::npos) << job.instance << " has a constant without inline";
    EXPECT_NE(compiled->symbol.find("_Z"), std::string::npos);
    EXPECT_EQ(compiled->constant.empty(), job.constant_symbol.empty());
  }
}
INSTANTIATE_TEST_SUITE_P(Architectures, NvrtcFor, testing::Values("oldest", "newest"));

// A text of somebody else reads no file of the user, and cannot fill the memory of this process.
TEST(Nvrtc, CompilesEditedTextsInAProcess) {
  const std::string file = "kernels/variants/global.cu";
  std::map<std::string, std::string> files = KernelSources().texts()->files;
  const std::string architecture = architectures().back();
  const std::set<CompileJob> jobs = all_jobs()[architecture];
  CompileJob job = *std::ranges::find(jobs, file, &CompileJob::file);
  job.architecture = architecture;
  const auto compiled = [&](const std::string& text) {
    files[file] = text;
    return nvrtc_compile(*texts_with(files), job);
  };
  const std::string built_in = files[file], edited = "// edited\n" + built_in;
  const auto here = compiled(edited);
  ASSERT_TRUE(here) << here.error().text;
  set_kernel_worker(CONV_PROGRAM);
  compile_edited_kernels_in_a_process();
  const auto there = compiled(edited);
  ASSERT_TRUE(there) << there.error().text;
  EXPECT_EQ(there->symbol, here->symbol);
  EXPECT_TRUE(there->code == here->code);
  const auto counted = nvrtc_compile_and_count(*texts_with(files), job);
  ASSERT_TRUE(counted) << counted.error().text;
  EXPECT_GT(counted->resources.registers, 0);
  for (const char* name : {"/dev/zero", "/etc/passwd"}) {
    const auto refused = compiled(fmt::format("#include \"{}\"\n", name) + built_in);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text.find(fmt::format("global.cu:1: cannot open source file \"{}\"", name)),
              std::string::npos)
        << refused.error().text.substr(0, 200);
  }
  const auto wrong = compiled("static_assert(y);\n" + built_in);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().text.find("global.cu:1: identifier \"y\" is undefined\n"), 0u);
  set_compiler_of_edited_texts(nullptr);
}

// Conversions of frames to the lanes' types, and of results to the types of textures.
TEST(Nvrtc, CompilesTheCeilings) {
  const KernelSources sources;
  for (const Ceiling which : {Ceiling::cached_copy, Ceiling::shared_memory, Ceiling::multiply_add}) {
    const CeilingPlan ceiling = ceiling_plan(which, 4 << 20);
    const auto& step = std::get<KernelStep>(ceiling.plan.steps.front());
    EXPECT_EQ(step.grid.area() * step.block.area(), ceiling.plan.image.area());
    for (const std::string& architecture : architectures()) {
      const auto compiled = nvrtc_compile(
          *sources.texts(),
          {.file = std::string(step.kernel.file), .instance = step.kernel.exact.text(), .architecture = architecture});
      EXPECT_TRUE(compiled) << compiled.error().text;
    }
  }
}

TEST(Nvrtc, CompilesTheCopyOfAnImage) {
  const KernelSources sources;
  for (const PixelTypeInfo& format : pixel_types) {
    const ConvSettings settings{.taps = std::make_shared<Taps>(*taps_of({})), .format = format.type};
    const auto plan = find_peer("copy_kernel")->plan({64, 64}, settings, {});
    const KernelInstance& kernel = std::get<KernelStep>(plan->steps.front()).kernel;
    for (const std::string& architecture : architectures())
      EXPECT_TRUE(nvrtc_compile(
          *sources.texts(),
          {.file = std::string(kernel.file), .instance = kernel.exact.text(), .architecture = architecture}))
          << kernel.exact.text();
  }
}

TEST(Nvrtc, CompilesTheWaysInAndOut) {
  const KernelSources sources;
  std::vector<LaunchPlan> plans;
  for (const PixelTypeInfo& type : pixel_types) {
    plans.push_back(frame_plan(type.type, {64, 64}));
    plans.push_back(display_plan(type.type, {64, 64}));
  }
  for (const YuvOrder order : {YuvOrder::planes_420, YuvOrder::pairs_420, YuvOrder::planes_422, YuvOrder::woven_422})
    for (const bool mirrored : {false, true})
      plans.push_back(yuv_plan({.order = order, .mirrored = mirrored}, {64, 64}));
  for (const LaunchPlan& plan : plans) {
    const KernelInstance& kernel = std::get<KernelStep>(plan.steps.front()).kernel;
    for (const std::string& architecture : architectures()) {
      const auto compiled = nvrtc_compile(
          *sources.texts(),
          {.file = std::string(kernel.file), .instance = kernel.exact.text(), .architecture = architecture});
      EXPECT_TRUE(compiled) << kernel.exact.text() << ": " << compiled.error().text;
    }
  }
}

TEST(Nvrtc, MakesPtxForAnUnknownGpu) {
  const KernelSources sources;
  CompileJob job = *jobs_of(*find_variant("global"), {}, PixelType::f32, Border::zero).begin();
  job.architecture = "compute_" + std::to_string(nvrtc_architectures().back());
  const auto compiled = nvrtc_compile(*sources.texts(), job);
  ASSERT_TRUE(compiled) << compiled.error().text;
  EXPECT_NE(compiled->code.find(".target"), std::string::npos);
}

TEST(Nvrtc, CountsWhatAKernelTakes) {
  const KernelSources sources;
  CompileJob job = *jobs_of(*find_variant("tile_linear"), {}, PixelType::f32, Border::zero).begin();
  job.architecture = "sm_90";
  const auto counted = nvrtc_compile_and_count(*sources.texts(), job);
  ASSERT_TRUE(counted) << counted.error().text;
  EXPECT_GE(counted->resources.registers, 16);
  EXPECT_LE(counted->resources.registers, 255);
  EXPECT_EQ(counted->resources.local_bytes, 0);
  job.instance = "nonsense";
  EXPECT_FALSE(nvrtc_compile_and_count(*sources.texts(), job));
}

TEST(Nvrtc, ErrorsNameFileAndLine) {
  KernelTexts texts = *KernelSources().texts();
  std::string& text = texts.files["kernels/variants/global.cu"];
  text.insert(text.find("  const Target"), "foo;\n");
  CompileJob job = *jobs_of(*find_variant("global"), {}, PixelType::f32, Border::zero).begin();
  job.architecture = "sm_75";
  const auto compiled = nvrtc_compile(texts, job);
  ASSERT_FALSE(compiled);
  EXPECT_TRUE(compiled.error().text.starts_with("global.cu:9: identifier \"foo\" is undefined\n"))
      << compiled.error().text;
}

TEST(KernelSources, FollowTheFilesOnDisk) {
  const TemporaryFolder folder;
  std::filesystem::copy(KernelSources::default_folder() / "kernels", folder / "kernels",
                        std::filesystem::copy_options::recursive);
  KernelSources sources(folder / "");
  EXPECT_FALSE(sources.embedded());
  EXPECT_EQ(sources.edited("kernels/variants/global.cu"), "");
  const std::string before = sources.texts()->hash;
  const auto file = folder / "kernels/variants/global.cu";
  ASSERT_TRUE(write_file(file, *read_file(file) + "// changed\n"));
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(2));
  EXPECT_TRUE(sources.poll());
  EXPECT_NE(sources.texts()->hash, before);
  EXPECT_EQ(sources.edited("kernels/variants/global.cu"), "kernels/variants/global.cu");
  EXPECT_EQ(sources.edited("kernels/variants/constant.cu"), "");
  EXPECT_EQ(sources.refused(), "");

  // What all kernels include, and what the program is built with too.
  const auto change = [&](const char* name) {
    const auto header = folder / name;
    ASSERT_TRUE(write_file(header, *read_file(header) + "// changed\n"));
    std::filesystem::last_write_time(header, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
  };
  change("kernels/api/views.h");
  change("kernels/api/conv_args.h");
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  EXPECT_TRUE(sources.poll());
  EXPECT_NE(sources.refused(), "");
  const KernelSources again(folder / "");
  EXPECT_EQ(again.edited("kernels/variants/constant.cu"), "kernels/api");
  EXPECT_EQ(again.edited("kernels/variants/global.cu"), "kernels/variants/global.cu");
  EXPECT_EQ(again.refused(),
            "kernels/api/conv_args.h was edited, but the program is built with it. Build the program again to use it.");
  EXPECT_EQ(again.texts()->files.at("kernels/api/conv_args.h"),
            KernelSources("").texts()->files.at("kernels/api/conv_args.h"));
  EXPECT_TRUE(KernelSources("").embedded());
  EXPECT_EQ(KernelSources("").texts()->hash, before);
}

TEST(KernelSources, UsesATextInPlaceOfTheFile) {
  const std::string file = "kernels/variants/global.cu";
  KernelSources sources("");
  const std::string hash = sources.texts()->hash, text = "// mine\n" + sources.texts()->files.at(file);
  EXPECT_TRUE(sources.use(file, text));
  EXPECT_EQ(sources.texts()->files.at(file), text);
  EXPECT_EQ(sources.edited(file), file);
  EXPECT_TRUE(sources.used().contains(file));
  EXPECT_FALSE(sources.use(file, text));
  EXPECT_TRUE(sources.use(file, text.substr(text.find('\n') + 1)));
  EXPECT_TRUE(sources.used().empty());  // the program's own
  EXPECT_TRUE(sources.use(file, text));
  EXPECT_TRUE(sources.use(file, std::nullopt));
  EXPECT_EQ(sources.texts()->hash, hash);
  EXPECT_EQ(sources.edited(file), "");
  EXPECT_FALSE(sources.use("kernels/none.cu", text));
}

TEST(CubinCache, SurvivesDamageAndLimitsItsSize) {
  const TemporaryFolder folder;
  const CubinCache cache(folder / "cache", 4000);
  const CompiledKernel kernel{.code = std::string("\0\1\n2", 4), .symbol = "_Zsymbol", .constant = ""};
  EXPECT_FALSE(cache.get("k"));
  cache.put("k", kernel);
  ASSERT_TRUE(cache.get("k"));
  EXPECT_EQ(cache.get("k")->code, kernel.code);
  EXPECT_EQ(cache.get("k")->symbol, kernel.symbol);

  const auto file = folder / "cache/k.cubin";
  const std::string whole = *read_file(file);
  ASSERT_TRUE(write_file(file, whole.substr(0, whole.size() - 3)));  // an interrupted write
  EXPECT_FALSE(cache.get("k"));
  EXPECT_FALSE(std::filesystem::exists(file));
  std::string altered = whole;
  altered[altered.size() / 2] ^= 1;
  ASSERT_TRUE(write_file(file, altered));
  EXPECT_FALSE(cache.get("k"));

  for (int i = 0; i < 10; ++i) cache.put("large" + std::to_string(i), {.code = std::string(900, 'x'), .symbol = "s"});
  std::uintmax_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "cache")) bytes += entry.file_size();
  EXPECT_LE(bytes, 4000u);
  EXPECT_TRUE(cache.get("large9"));
  EXPECT_FALSE(CubinCache("").get("k"));
}

TEST(Compiler, RunsJobsAndKeepsErrors) {
  const KernelSources sources;
  const TemporaryFolder folder;
  Compiler compiler(sources.texts(), CubinCache(folder / "cache"), "sm_75");
  CompileJob job = *jobs_of(*find_variant("constant"), {}, PixelType::f32, Border::zero).begin();
  job.architecture = compiler.architecture();
  CompileJob wrong = job;
  wrong.instance = "gpu::missing<float>";
  EXPECT_EQ(compiler.look_up(job).state, Compiler::State::unknown);
  compiler.request({}, {wrong});
  compiler.request({.number = 1}, {job});
  while (compiler.busy() || compiler.look_up(wrong).state == Compiler::State::unknown)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(compiler.look_up(job).state, Compiler::State::ready);
  EXPECT_EQ(compiler.look_up(wrong).state, Compiler::State::failed);
  EXPECT_EQ(compiler.set_texts(sources.texts()).count(job), 1u);
  EXPECT_EQ(compiler.look_up(job).state, Compiler::State::unknown);
  EXPECT_EQ(compiler.compile_now(job).state, Compiler::State::ready);  // from the disk cache
}

}  // namespace

}  // namespace conv
