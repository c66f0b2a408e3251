// Messages: the log, and its last line over the picture for a while.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "app/ui/panels/panels.h"
#include "app/ui/widgets/widgets.h"

namespace conv {

void draw_log(PanelContext& context) {
  if (!context.ui.shown.log) return;
  if (ImGui::Begin("Log", &context.ui.shown.log)) {
    for (const UiState::LogLine& line : context.ui.log) {
      const Palette& p = context.look.colours;
      number(context.look.fonts, line.time + (line.is_error ? "  ×  " : "     "), line.is_error ? p.fault : p.quiet,
             text_size::caption);
      ImGui::SameLine(0, 0);
      caption(line.text, p.text);
    }
    if (context.ui.log.empty()) caption("Nothing yet.", context.look.colours.quiet);
    if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
  }
  ImGui::End();
}

void draw_toast(PanelContext& context) {
  Toast& toast = context.ui.toast;
  if (toast.text.empty() || (ImGui::GetTime() > toast.until && toast.offer_percent == 0)) return;
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos(
      {viewport->WorkPos.x + viewport->WorkSize.x / 2, viewport->WorkPos.y + viewport->WorkSize.y - 24 * scale},
      ImGuiCond_Always, {0.5f, 1});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {std::min(640 * scale, viewport->WorkSize.x - 48 * scale), FLT_MAX});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, context.look.colours.raised);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  const bool offers = toast.offer_percent > 0;  // stays until it is answered
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoDocking |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav |
                                 (offers ? 0 : ImGuiWindowFlags_NoInputs);
  if (ImGui::Begin("##toast", nullptr, flags)) {
    ImGui::PushTextWrapPos(600 * scale);
    if (toast.is_error) {
      ImGui::TextColored(context.look.colours.fault, "×");
      ImGui::SameLine();
    }
    ImGui::TextUnformatted(toast.text.c_str());
    ImGui::PopTextWrapPos();
    if (offers) {
      if (ImGui::Button(fmt::format("Load at {} %", toast.offer_percent).c_str())) {
        context.commands.push_back(command::OpenFile{toast.offer_path, toast.offer_percent});
        toast = {};
      }
      ImGui::SameLine();
      if (ImGui::Button("Cancel")) toast = {};
    }
  }
  ImGui::End();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
}

void draw_question(PanelContext& context) {
  std::optional<Question>& question = context.ui.question;
  const std::string name = (question ? question->title : "") + "###question";
  if (question && !ImGui::IsPopupOpen(name.c_str())) ImGui::OpenPopup(name.c_str());
  const float scale = ImGui::GetStyle().FontScaleMain;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 4 * scale);
  const bool open = ImGui::BeginPopupModal(name.c_str(), nullptr,
                                           ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) return;
  if (question) {
    ImGui::PushTextWrapPos(std::min(560 * scale, ImGui::GetMainViewport()->WorkSize.x - 64 * scale));
    ImGui::TextUnformatted(question->text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::Spacing();
    const bool yes = ImGui::Button(question->yes.c_str());
    ImGui::SameLine();
    const bool no = ImGui::Button(question->no.c_str()) || ImGui::IsKeyPressed(ImGuiKey_Escape);
    if (ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();  // the button that changes nothing
    if (yes || no) {
      context.commands.push_back(yes ? question->on_yes : question->on_no);
      question.reset();
    }
  }
  if (!question) ImGui::CloseCurrentPopup();
  ImGui::EndPopup();
}

}  // namespace conv
