// Lessons without a window: their list, their text, and a handout of text and pictures.
#include "app/lessons/lesson.h"

#include <fmt/format.h>
#include <md4c-html.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/cli/commands.h"
#include "app/cli/handout_pdf.h"
#include "app/cli/lesson_file.h"
#include "app/cli/still_picture.h"
#include "app/lessons/diagram.h"
#include "app/lessons/lesson_curve.h"
#include "app/lessons/lesson_facts.h"
#include "app/measure/engine.h"
#include "app/measure/shipped.h"
#include "app/sources/pattern.h"
#include "app/sources/picture.h"
#include "kernels/core/file.h"

namespace conv {

namespace fs = std::filesystem;

namespace {

// The words of a handout around the lesson's own text.
struct Words {
  Language language;
  std::string_view answers, measured, difference, answer, not_in, fixed;
};
constexpr Words words[] = {
    {Language::english, "Answers", "Times: medians on {}.", "The difference, made visible", "The answer: {}",
     "outside ", "Without the bug:"},
    {Language::italian, "Soluzioni", "Tempi: mediane su {}.", "La differenza, resa visibile", "La risposta: {}",
     "fuori da ", "Senza l'errore:"},
    {Language::german, "Lösungen", "Zeiten: Mediane auf {}.", "Der Unterschied, sichtbar gemacht", "Die Antwort: {}",
     "außerhalb von ", "Ohne den Fehler:"},
};
const Words& words_in(Language language) {
  return *std::ranges::find(words, language, &Words::language);
}

// A scene as it was run: its pictures and its numbers.
struct SceneRun {
  Settings settings;
  Size2 image;
  struct Shown {
    std::string title;  // the variant
    Picture picture;
  };
  std::vector<Shown> shown;           // of the lanes that the view shows, or of their difference
  std::vector<std::string> refusals;  // why a lane has none
  LessonPlans plans;
  bool timed = false;
  std::array<std::optional<double>, 2> ms, first_ms;  // if it is
  std::optional<int> faster;                          // the same; as in LessonFacts
  LessonCounts counts;                                // of these plans, or empty
  // Blocks and waves are those of the GPU of the shipped results, as in the window.
  LessonFacts facts(const ShippedResults& shipped) const {
    return {.settings = settings,
            .image = image,
            .plans = plans,
            .ms = ms,
            .faster = faster,
            .counts = &counts,
            .first_ms = first_ms,
            .multiprocessor = shipped.multiprocessor,
            .gpu = shipped.limits.name};
  }
};

// |A - B|, with the largest difference in white.
Picture difference_of(const Picture& a, const Picture& b) {
  Picture difference = a;
  int most = 1;
  for (std::size_t i = 0; i < a.levels.size(); ++i) most = std::max(most, std::abs(a.levels[i] - b.levels[i]));
  for (std::size_t i = 0; i < a.levels.size(); ++i)
    difference.levels[i] = static_cast<unsigned char>(255 * std::abs(a.levels[i] - b.levels[i]) / most);
  return difference;
}

// Runs scenes on the processor. A scene that is named twice is run once, and measured and counted only for steps that
// say so.
class SceneRunner {
 public:
  // pictures: of the lesson.
  SceneRunner(Processor& processor, fs::path pictures)
      : processor_(processor),
        pictures_(std::move(pictures)),
        engine_(processor, BenchProtocol{.host_rounds = compared_samples}) {}

  Result<const SceneRun*> run(const std::string& scene, const LessonStep& step) {
    auto& kept = runs_[scene];
    if (!kept) kept = std::make_unique<SceneRun>(CONV_TRY(fresh(scene)));
    if (step.timed && !std::exchange(kept->timed, true)) CONV_TRY(measure(*kept));
    if (step.counted && kept->counts.plans != kept->plans) kept->counts = count_for_lesson(kept->plans);
    return kept.get();
  }

 private:
  Result<SceneRun> fresh(const std::string& scene) {
    SceneRun run;
    run.settings = CONV_TRY(parse_scene(scene, pictures_)).settings;
    const Picture picture = CONV_TRY(still_picture(run.settings.source));
    run.image = picture.size;
    const auto taps = std::make_shared<const Taps>(CONV_TRY(taps_of(run.settings.filter)));
    const int lanes = run.settings.view == ViewMode::single ? 1 : 2;
    for (int i = 0; i < lanes; ++i) {
      const LaneSettings lane = lane_settings(run.settings, i);
      Result<LaunchPlan> planned = plan_of(lane, run.settings, taps, picture.size, processor_.limits());
      if (!planned) {
        run.refusals.push_back(planned.error().text);
        continue;
      }
      auto plan = std::make_shared<const LaunchPlan>(std::move(*planned));
      const HostImage source = to_format(picture, lane.format);
      HostImage result;
      CONV_TRY(processor_.run(*plan, source, result));
      run.shown.push_back({lane.variant, to_picture(result, picture.channels)});
      run.plans[i] = std::move(plan);
    }
    if (run.settings.view == ViewMode::difference && run.shown.size() == 2) {
      const Picture &first = run.shown[0].picture, &second = run.shown[1].picture;
      if (!first.is_float && !second.is_float && first.levels.size() == second.levels.size())
        run.shown = {{.title = "", .picture = difference_of(first, second)}};
    }
    return run;
  }

  // One lane at a time: the two may have different formats.
  Result<void> measure(SceneRun& run) {
    if (run.settings.iterations > 1) return {};  // the engine times single passes
    std::array<std::vector<float>, 2> samples;
    for (int i = 0; i < 2; ++i) {
      if (!run.plans[i]) continue;
      const BenchGroup alone{{.image = run.image,
                              .filter = run.settings.filter,
                              .border = run.settings.border,
                              .lane = lane_settings(run.settings, i)}};
      const std::vector<BenchRow> rows = CONV_TRY(engine_.measure(alone));
      if (rows.empty() || rows[0].state != RowState::measured) continue;
      run.ms[i] = rows[0].summary().median;
      run.first_ms[i] = rows[0].other.first_ms;
      samples[i] = rows[0].ms;
    }
    run.faster = faster_lane(compare_lanes(samples[0], samples[1]));
    return {};
  }

  Processor& processor_;
  const fs::path pictures_;
  BenchEngine engine_;
  std::map<std::string, std::unique_ptr<SceneRun>> runs_;
};

// The lesson as Markdown, with the pictures of its scenes.
class Handout {
 public:
  // folder: for the pictures; empty: none are written.
  Handout(const Lesson& lesson, Processor& processor, fs::path folder)
      : lesson_(lesson),
        words_(words_in(lesson.language)),
        runner_(processor, lesson.pictures),
        written_{.folder = std::move(folder)},
        device_(processor.name()),
        limits_(processor.limits()),
        on_gpu_(processor.on_gpu()),
        shipped_(load_shipped_results()) {}

  // What write() has written to the folder.
  const HandoutPictures& written() const { return written_; }

  // Questions are in the text; what follows them is at the end.
  Result<std::string> write() {
    std::string text = fmt::format("# {}\n\n{}\n", lesson_.title, lesson_.summary), answers;
    int number = 0;
    for (const LessonStep& step : lesson_.steps) {
      ++number;
      const SceneRun* asked = CONV_TRY(runner_.run(step.scene, step));
      const LessonFacts facts = asked->facts(shipped_);
      const std::string title = with_values(step.title, facts);
      text += fmt::format("\n## {}. {}\n\n", number, title);
      text += CONV_TRY(pictures(*asked, fmt::format("step-{}", number)));
      text += CONV_TRY(diagram(step, facts, title, number));
      text += with_values(step.text, facts) + "\n";
      text += CONV_TRY(fixed(step, number));
      if (!step.question) continue;
      const SceneRun* shown = asked;
      if (!step.reveal_scene.empty()) shown = CONV_TRY(runner_.run(step.reveal_scene, step));
      const LessonQuestion& question = *step.question;
      text += "\n> " + with_values(question.text, facts) + "\n";
      for (std::size_t i = 0; i < question.choices.size(); ++i)
        text += fmt::format(">\n> **{}** {}\n", letter_of(i), with_values(question.choices[i], facts));
      answers += fmt::format("\n### {}. {}\n\n", number, title);
      answers += fmt::format(fmt::runtime(words_.answer), "**" + right(question, *shown) + "**") + "\n\n";
      if (!step.reveal_scene.empty()) answers += CONV_TRY(pictures(*shown, fmt::format("answer-{}", number)));
      answers += with_values(step.reveal, shown->facts(shipped_)) + "\n" + times_on_gpu(step, *shown);
    }
    if (!answers.empty()) text += fmt::format("\n## {}\n{}", words_.answers, answers);
    return text + "\n" + fmt::format(fmt::runtime(words_.measured), device_) + "\n";
  }

 private:
  // Without a GPU: what the variants took on that of the shipped results.
  std::string times_on_gpu(const LessonStep& step, const SceneRun& run) const {
    if (!step.timed || on_gpu_) return "";
    const std::string text = shipped_times_text(shipped_, run.settings, run.image);
    return text.empty() ? "" : "\n" + text + "\n";
  }

  std::string right(const LessonQuestion& question, const SceneRun& run) const {
    if (const auto& place = question.place)
      return fmt::format("{}x {}–{}, y {}–{}", question.outside ? words_.not_in : "", place->left,
                         place->left + place->width - 1, place->top, place->top + place->height - 1);
    const LessonFacts facts = run.facts(shipped_);
    if (question.curve) return text_of(question, curve_of(question, facts, limits_));
    if (const auto choice = right_choice(question, facts); choice && !question.choices.empty())
      return fmt::format("{} ({})", letter_of(*choice), with_values(question.choices[*choice], facts));
    return with_values("{" + question.value + "}", facts);
  }

  // The drawing of an idea, if the step has one.
  Result<std::string> diagram(const LessonStep& step, const LessonFacts& facts, const std::string& title, int number) {
    if (written_.folder.empty() || step.picture.name.empty()) return "";
    const auto drawn = diagram_of(step.picture, facts);
    if (!drawn) return "";
    const std::string file = fmt::format("step-{}-diagram.svg", number);
    CONV_TRY(write_file(written_.folder / file, svg_of(*drawn)));
    written_.diagrams.emplace(file, *drawn);
    return fmt::format("![{}]({})\n\n", title, file);
  }

  // Of a bug: the same scene without it.
  Result<std::string> fixed(const LessonStep& step, int number) {
    if (written_.folder.empty() || step.fix.empty()) return "";
    const SceneRun* run = CONV_TRY(runner_.run(step.fix, step));
    const std::string shown = CONV_TRY(pictures(*run, fmt::format("step-{}-fixed", number)));
    return fmt::format("\n{}\n\n{}", words_.fixed, shown);
  }

  // The pictures of the lanes side by side, with their names.
  Result<std::string> pictures(const SceneRun& run, const std::string& name) {
    if (written_.folder.empty()) return "";
    std::string text;
    for (std::size_t i = 0; i < run.shown.size(); ++i) {
      const std::string file = fmt::format("{}-{}.png", name, static_cast<char>('a' + i));
      CONV_TRY(save_picture(run.shown[i].picture, written_.folder / file));
      written_.files.insert(file);
      const std::string& title = run.shown[i].title;
      text += fmt::format("![{}]({})\n", title.empty() ? words_.difference : title, file);
    }
    for (const std::string& refusal : run.refusals) text += fmt::format("\n> {}\n", refusal);
    return text + "\n";
  }

  const Lesson& lesson_;
  const Words& words_;
  SceneRunner runner_;
  HandoutPictures written_;
  const std::string device_;
  const DeviceLimits limits_;
  const bool on_gpu_;
  const ShippedResults shipped_;
};

constexpr std::string_view style =
    "body{max-width:46rem;margin:2rem auto;padding:0 1rem;font:1.05rem/1.5 "
    "Inter,Helvetica,Arial,sans-serif;color:#1a1d21}"
    "img{max-width:49%;height:auto}img:only-child{max-width:100%}code{font-family:'JetBrains Mono',monospace}"
    "blockquote{margin:1rem 0;padding:.2rem 1rem;border-left:4px solid #b35c00;background:#f6f3ee}"
    "h2,h3{margin-top:2rem}@media print{h2,h3,blockquote,p>img{break-inside:avoid;break-after:avoid}}";

// Somebody else may have written the lesson: its links lead to the web or nowhere, and its pictures are those that the
// program wrote. In the HTML of MD4C both stand in double quotes, which never occur otherwise.
std::string with_safe_links(const std::string& html, const HandoutPictures& written) {
  const auto is_safe = [&](std::string_view attribute, std::string_view value) {
    if (attribute == "src")
      return written.files.contains(std::string(value)) || written.diagrams.contains(std::string(value));
    return value.starts_with("https://") || value.starts_with("http://") || value.starts_with("#");
  };
  std::string safe;
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t link = html.find(" href=\"", at), picture = html.find(" src=\"", at);
    const std::size_t found = std::min(link, picture);
    if (found == std::string::npos) return safe + html.substr(at);
    const std::string_view attribute = found == link ? "href" : "src";
    const std::size_t begin = found + attribute.size() + 3, end = html.find('"', begin);
    safe += html.substr(at, begin - at);
    const std::string value = html.substr(begin, end - begin);
    if (is_safe(attribute, value)) safe += value;
    at = std::min(end, html.size());
  }
  return safe;
}

// HTML in a lesson is shown as text.
Result<std::string> html_of(const Lesson& lesson, const std::string& markdown, const HandoutPictures& written) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>Convoscope</title>\n"
      "<style>{}</style>\n</head>\n<body>\n",
      languages[static_cast<std::size_t>(lesson.language)].id, style);
  const auto add = [](const MD_CHAR* text, MD_SIZE size, void* to) {
    static_cast<std::string*>(to)->append(text, size);
  };
  if (md_html(markdown.data(), static_cast<MD_SIZE>(markdown.size()), add, &html, MD_FLAG_NOHTML, 0) != 0)
    return failure("the lesson could not be written as HTML");
  return with_safe_links(html, written) + "</body>\n</html>\n";
}

// A new one: nothing that exists is replaced.
Result<void> make_folder(const fs::path& folder) {
  std::error_code error;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  const bool made = !error && fs::create_directory(folder, error);
  if (error) return failure(fmt::format("{}: {}", folder.string(), error.message()));
  if (!made) return failure(fmt::format("{} exists already. Choose another folder", folder.string()));
  return {};
}

Result<int> handout_into(const Lesson& text, Processor& processor, const fs::path& folder) {
  Handout handout(text, processor, folder);
  const std::string markdown = CONV_TRY(in_words([&] { return handout.write(); }));
  const std::string html = CONV_TRY(html_of(text, markdown, handout.written()));
  CONV_TRY(write_file(folder / "index.html", html));
  CONV_TRY(in_words([&] { return write_pdf(text.title, markdown, handout.written(), folder / "handout.pdf"); }));
  for (const char* file : {"index.html", "handout.pdf"}) fmt::print("{}\n", printable((folder / file).string()));
  return 0;
}

// Writes into a new folder, of which nothing remains if that fails.
Result<int> write_handout(const Lesson& text, Processor& processor, const fs::path& folder) {
  CONV_TRY(make_folder(folder));
  const Result<int> written = handout_into(text, processor, folder);
  std::error_code ignored;
  if (!written) fs::remove_all(folder, ignored);
  return written;
}

Result<int> list(Language language) {
  for (const std::string_view id : lesson_ids())
    if (const Lesson* lesson = find_lesson(id, language)) fmt::print("{:10}  {}\n", id, lesson->title);
  return 0;
}

// Null: there is none.
const Lesson* find_text(std::string_view id, Language language) {
  if (id == "concepts") return &gallery(Gallery::concepts, language);
  return id == "bugs" ? &gallery(Gallery::bugs, language) : find_lesson(id, language);
}

Result<int> lesson(const Options& options) {
  if (options.lesson.list) return list(options.lesson.language);
  if (options.lesson.id.empty()) return failure("name a lesson; lesson --list prints the names");
  std::optional<Lesson> from_file;
  if (ending_of(options.lesson.id) == ".md" || is_bundle(options.lesson.id))
    from_file = CONV_TRY(read_lesson_file(options.lesson.id));
  const Lesson* chosen = from_file ? &*from_file : find_text(options.lesson.id, options.lesson.language);
  if (!chosen) return failure(fmt::format("there is no lesson {}; lesson --list prints the names", options.lesson.id));
  const fs::path folder = options.lesson.handout;
  Processor processor = CONV_TRY(Processor::create(options.device));
  if (!folder.empty()) return write_handout(*chosen, processor, folder);
  fmt::print("{}", printable(CONV_TRY(in_words([&] { return Handout(*chosen, processor, {}).write(); }))));
  return 0;
}

}  // namespace

int run_lesson(const Options& options) {
  return status_of(lesson(options));
}

}  // namespace conv
