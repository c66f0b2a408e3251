#include "app/model/save_choice.h"

namespace conv {

SaveChoice save_choice(command::What what) {
  switch (what) {
    case command::What::result: return {"Save the result of lane A", "result.png", "*.png *.npy *.hdr *.jpg"};
    case command::What::view: return {"Save the view", "view.png", "*.png *.jpg"};
    case command::What::recording: return {"Record the results of lane A", "results.mp4", "*.mp4 *.mkv *.avi *.png"};
    case command::What::window: return {"Record the window", "window.mp4", "*.mp4 *.mkv *.webm *.gif"};
    case command::What::session: return {"Save the session", "session.json", "*.json *.zip"};
    case command::What::plot: return {"Save the plot", "plot.svg", "*.svg *.png"};
    case command::What::kernel: return {"Export your kernel as a variant", "my_kernel.cu", "*.cu"};
    case command::What::lesson: return {"Save the lesson", "lesson.md", "*.md *.zip"};
  }
  return {};
}

Command to_save(command::What what, const std::string& path) {
  switch (what) {
    case command::What::result: return command::SaveResult{path};
    case command::What::view: return command::SaveView{path};
    case command::What::recording: return command::Record{path};
    case command::What::window: return command::RecordWindow{path};
    case command::What::session: return command::SaveSession{path};
    case command::What::plot: return command::SavePlot{path};
    case command::What::kernel: return command::SaveKernel{path};
    case command::What::lesson: return command::SaveLesson{path};
  }
  return command::SaveResult{path};
}

}  // namespace conv
