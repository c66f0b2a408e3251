// Where the picture comes from.
#include <fmt/format.h>
#include <imgui_internal.h>
#include <misc/cpp/imgui_stdlib.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"
#include "kernels/core/units.h"

namespace conv {

namespace {

void draw_file(PanelContext& context) {
  SourceSettings& source = context.settings.source;
  property("File",
           "A path to open with Enter: a picture, a video, a folder, or names such as frames/*.png. Open… and "
           "dropping a file do the same.");
  if (ImGui::IsWindowAppearing()) context.ui.path_text = source.path;  // not one that could not be opened
  if (ImGui::InputTextWithHint("##path", "type a path", &context.ui.path_text,
                               ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_ElideLeft))
    context.commands.push_back(command::OpenFile{context.ui.path_text});
  const std::vector<Sample>& samples = context.status.source.samples;
  if (!samples.empty()) {
    property("Sample", "Pictures that come with the program.");
    const auto current = std::find_if(samples.begin(), samples.end(), [&](const Sample& sample) {
      return source.camera.empty() && sample.path == source.path;
    });
    if (begin_combo("##sample", current == samples.end() ? "–" : current->title)) {
      for (const Sample& sample : samples)
        if (ImGui::Selectable(sample.title.c_str(), sample.path == source.path))
          context.commands.push_back(command::OpenFile{sample.path});
      ImGui::EndCombo();
    }
  }
  if (source.path.empty() || context.status.source.feed || context.status.source.opening)
    return;  // a moving source has no scale
  property("Scale", "Scale of the file: smaller scales average pixels, larger ones repeat them.");
  if (begin_combo("##scale", fmt::format("{} %", source.percent))) {
    for (const int percent : scale_percents)
      if (ImGui::Selectable(fmt::format("{} %", percent).c_str(), percent == source.percent)) source.percent = percent;
    ImGui::EndCombo();
  }
}

void draw_camera(PanelContext& context) {
  SourceSettings& source = context.settings.source;
  property("Camera", "Cameras of this machine, by name.");
  const std::string_view no_video = no_video_if_known();
  ImGui::BeginDisabled(!no_video.empty());
  if (begin_combo("##camera", source.camera.empty() ? "Off" : camera_title(context.status, source.camera))) {
    draw_cameras(context);
    ImGui::EndCombo();
  }
  ImGui::EndDisabled();
  if (!no_video.empty()) tooltip(no_video);
  if (source.camera.empty()) return;
  static constexpr Size2 sizes[] = {{}, {640, 480}, {1280, 720}, {1920, 1080}, {3840, 2160}};
  static constexpr int rates[] = {0, 15, 30, 60, 120};
  property("Picture", "The size requested from the camera; it delivers the nearest, or reports an error.");
  const auto wish_text = [](Size2 size) { return size.area() > 0 ? size_text(size) : std::string("as it likes"); };
  if (begin_combo("##camera size", wish_text(source.camera_size))) {
    for (const Size2 size : sizes)
      if (ImGui::Selectable(wish_text(size).c_str(), size == source.camera_size)) source.camera_size = size;
    ImGui::EndCombo();
  }
  property("Rate", "Frames per second requested from the camera.");
  const auto rate_text = [](int rate) { return rate > 0 ? fmt::format("{} fps", rate) : std::string("as it likes"); };
  if (begin_combo("##camera rate", rate_text(source.camera_rate))) {
    for (const int rate : rates)
      if (ImGui::Selectable(rate_text(rate).c_str(), rate == source.camera_rate)) source.camera_rate = rate;
    ImGui::EndCombo();
  }
  property("Flip camera", "Left and right are swapped, as in a mirror.");
  ImGui::Checkbox("##flip", &source.flip);
}

void draw_pattern(PanelContext& context) {
  SourceSettings& source = context.settings.source;
  property("Pattern", "Generated images whose correct result is easy to see.");
  const bool pattern = source.path.empty() && source.camera.empty();
  const std::string current(pattern ? info(source.pattern).title : "–");
  if (begin_combo("##pattern", current)) {
    for (const PatternInfo& row : patterns)
      if (ImGui::Selectable(std::string(row.title).c_str(), pattern && row.kind == source.pattern)) {
        source.pattern = row.kind;
        source.path.clear();
        source.camera.clear();
      }
    ImGui::EndCombo();
  }
  if (!pattern || info(source.pattern).only.area() > 0) return;
  property("Size", "Size of the generated image.");
  static constexpr Size2 sizes[] = {{256, 256},   {512, 512},   {854, 480},   {1280, 720},  {1024, 1024},
                                    {1920, 1080}, {2048, 2048}, {3840, 2160}, {4096, 4096}, {7680, 4320}};
  if (begin_combo("##pattern size", size_text(source.pattern_size))) {
    for (const Size2 size : sizes)
      if (ImGui::Selectable(size_text(size).c_str(), size == source.pattern_size)) source.pattern_size = size;
    ImGui::EndCombo();
  }
  if (source.pattern != PatternKind::noise) return;
  property("Seed", "The same seed gives the same noise on every machine.");
  ImGui::InputScalar("##seed", ImGuiDataType_U32, &source.seed);
  resettable(source.seed, 42u);
}

// How frames are uploaded to the GPU; a still picture is uploaded once.
void draw_transfer(PanelContext& context) {
  if (!context.status.source.feed || !context.status.device.no_gpu.empty()) return;
  TransferSettings& transfer = context.settings.transfer;
  property("Host memory", "Page-locked memory is copied by the GPU itself; pageable memory by the driver, in pieces.");
  int pageable = !transfer.pinned;
  if (ImGui::Combo("##pinned", &pageable, "Pinned\0Pageable\0")) transfer.pinned = pageable == 0;
  property("Upload", "Asynchronous: the host continues while the frame is copied. Synchronous: it waits.");
  int waits = !transfer.asynchronous;
  if (ImGui::Combo("##asynchronous", &waits, "Asynchronous\0Synchronous\0")) transfer.asynchronous = waits == 0;
  if (!context.status.source.feed->info.is_yuv) return;
  property("YUV to RGBA",
           "Cameras and decoders store one colour for two or four pixels. On the GPU: frames are uploaded as they are, "
           "with half or three eighths of the bytes, and converted there. On the host: frames are converted before the "
           "upload. This is always so while a lane runs on the CPU or includes transfers.");
  int on_host = !transfer.as_yuv;
  if (ImGui::Combo("##yuv", &on_host, "On the GPU\0On the host\0")) transfer.as_yuv = on_host == 0;
}

}  // namespace

std::string camera_title(const AppStatus& status, const std::string& device) {
  if (status.source.cameras)
    for (const Camera& camera : status.source.cameras->cameras)
      if (camera.path == device) return camera.name;
  return device;
}

void draw_cameras(PanelContext& context) {
  SourceSettings& source = context.settings.source;
  if (ImGui::IsWindowAppearing()) context.ui.wants.cameras = true;
  if (ImGui::Selectable("Off", source.camera.empty())) source.camera.clear();
  const CameraList* list = context.status.source.cameras.get();
  if (!list) {
    ImGui::TextDisabled("Looking for cameras…");
    return;
  }
  for (const Camera& camera : list->cameras) {
    if (ImGui::Selectable(fmt::format("{}##{}", camera.name, camera.path).c_str(), camera.path == source.camera))
      source.camera = camera.path;
    tooltip(camera.path);
  }
  if (list->cameras.empty()) ImGui::TextDisabled("%s", list->error.empty() ? "No camera found" : list->error.c_str());
  if (ImGui::Selectable("Rescan", false, ImGuiSelectableFlags_NoAutoClosePopups)) context.ui.wants.cameras = true;
}

void draw_camera_button(PanelContext& context) {
  const std::string_view no_video = no_video_if_known();
  ImGui::BeginDisabled(!no_video.empty());
  if (ImGui::Button("Camera")) ImGui::OpenPopup("cameras");
  ImGui::EndDisabled();
  tooltip(no_video.empty() ? "A camera of this machine as the source." : no_video);
  if (!ImGui::BeginPopup("cameras")) return;
  draw_cameras(context);
  ImGui::EndPopup();
}

static void draw_source_popup(PanelContext& context) {
  ImGui::SetNextWindowSize({360 * ImGui::GetStyle().FontScaleMain, 0});
  if (!ImGui::BeginPopup("source")) return;
  if (begin_properties("rows")) {
    draw_file(context);
    draw_camera(context);
    draw_pattern(context);
    draw_transfer(context);
    end_properties();
  }
  ImGui::EndPopup();
}

void draw_source_section(PanelContext& context) {
  const AppStatus& status = context.status;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float button = ImGui::CalcTextSize("Change…").x + 2 * style.FramePadding.x;
  const std::string& name = status.source.name;
  ImGui::AlignTextToFramePadding();
  shortened(name, ImGui::GetContentRegionAvail().x - button - style.ItemSpacing.x);
  tooltip(context.settings.source.path.empty() ? name : context.settings.source.path);
  ImGui::SameLine();
  if (ImGui::Button("Change…") || looks_for_property(PropertyPlace::source)) ImGui::OpenPopup("source");
  tooltip("Choose a file, a sample, a camera or a generated image.");
  draw_source_popup(context);
  const double bytes = static_cast<double>(status.source.size.area()) * info(context.settings.lanes[0].format).bytes;
  caption(fmt::format("{} · {} as {}", size_text(status.source.size), bytes_text(bytes),
                      info(context.settings.lanes[0].format).title),
          context.look.colours.quiet);
}

}  // namespace conv
