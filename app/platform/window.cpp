#include "app/platform/window.h"

#include <glad/gl.h>
// glad must come before every other OpenGL header
#include <GLFW/glfw3.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace conv {

static std::string& last_glfw_error() {
  static std::string text;
  return text;
}

// As far as the desktop's bars leave space.
static Size2 fitted(Size2 size) {
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (!monitor) return size;
  int x = 0, y = 0, width = 0, height = 0;
  glfwGetMonitorWorkarea(monitor, &x, &y, &width, &height);
  return width > 0 && height > 0 ? Size2{std::min(size.width, width), std::min(size.height, height)} : size;
}

Result<std::unique_ptr<AppWindow>> AppWindow::create(Size2 size, const std::string& title, bool vsync, bool fits) {
  glfwSetErrorCallback([](int, const char* text) { last_glfw_error() = text; });
  if (!glfwInit())
    return failure(
        "No display found. All commands of `convoscope --help`, such as `convolve` and `bench`, work without one.");
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHintString(GLFW_X11_CLASS_NAME, "convoscope");  // by it a desktop finds the icon
  glfwWindowHintString(GLFW_WAYLAND_APP_ID, "convoscope");
  if (fits) size = fitted(size);
  std::unique_ptr<AppWindow> window(new AppWindow);
  window->title_ = title;
  window->window_ = glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr);
  if (!window->window_)
    return failure(
        fmt::format("No OpenGL 4.5 window: {}. Update the graphics driver, or install Mesa's (libgl1-mesa-dri).",
                    last_glfw_error()));
  glfwMakeContextCurrent(window->window_);
  if (!gladLoadGL(glfwGetProcAddress)) return failure("The OpenGL functions could not be loaded.");
  window->set_vsync(vsync);
  glfwSetWindowUserPointer(window->window_, window.get());
  glfwSetDropCallback(window->window_, [](GLFWwindow* handle, int count, const char** paths) {
    auto& target = *static_cast<AppWindow*>(glfwGetWindowUserPointer(handle));
    target.dropped_.insert(target.dropped_.end(), paths, paths + count);
    target.asked_ = true;
  });
  glfwSetFramebufferSizeCallback(window->window_, [](GLFWwindow* handle, int, int) {
    static_cast<AppWindow*>(glfwGetWindowUserPointer(handle))->resized_ = true;
  });
  glfwSetWindowRefreshCallback(window->window_, [](GLFWwindow* handle) {
    static_cast<AppWindow*>(glfwGetWindowUserPointer(handle))->asked_ = true;
  });
  return window;
}

std::string AppWindow::gpu_uuid() const {
  constexpr GLenum device_uuid = 0x9597;  // the extension EXT_memory_object names it DEVICE_UUID_EXT
  const auto get =
      reinterpret_cast<void(APIENTRY*)(GLenum, GLuint, GLubyte*)>(glfwGetProcAddress("glGetUnsignedBytei_vEXT"));
  if (!get || !glfwExtensionSupported("GL_EXT_memory_object")) return {};
  std::array<GLubyte, 16> bytes{};
  get(device_uuid, 0, bytes.data());
  if (glGetError() != GL_NO_ERROR) return {};
  std::string text = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
  return text;
}

AppWindow::~AppWindow() {
  if (window_) glfwDestroyWindow(window_);
  glfwTerminate();
}

// Xlib calls a handler and then ends the program. GLFW has loaded it if the window is one of X11; on Wayland it asks
// the window to close instead.
void AppWindow::on_lost_display(std::function<void()> act) {
  static std::function<void()> what;
  what = std::move(act);
  void* xlib = dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!xlib) return;
  using Handler = int (*)(void* display);
  const auto set = reinterpret_cast<Handler (*)(Handler)>(dlsym(xlib, "XSetIOErrorHandler"));
  dlclose(xlib);  // it remains loaded: this is not its only user
  if (set)
    set([](void*) -> int {
      if (const auto now = std::exchange(what, {})) now();
      std::_Exit(1);
    });
}

void AppWindow::set_title(const std::string& title) {
  if (title_ == title) return;
  title_ = title;
  glfwSetWindowTitle(window_, title.c_str());
}

bool AppWindow::should_close() const {
  return glfwWindowShouldClose(window_);
}
void AppWindow::close() {
  glfwSetWindowShouldClose(window_, GLFW_TRUE);
}
void AppWindow::stay() {
  glfwSetWindowShouldClose(window_, GLFW_FALSE);
}
void AppWindow::poll(double wait_s) {
  if (wait_s > 0)
    glfwWaitEventsTimeout(wait_s);
  else
    glfwPollEvents();
}
bool AppWindow::visible() const {
  return glfwGetWindowAttrib(window_, GLFW_VISIBLE) && !glfwGetWindowAttrib(window_, GLFW_ICONIFIED);
}
void AppWindow::swap() {
  glfwSwapBuffers(window_);
}
void AppWindow::set_vsync(bool on) {
  glfwSwapInterval(on ? 1 : 0);
}

void AppWindow::toggle_full_screen() {
  if (glfwGetWindowMonitor(window_)) {
    glfwSetWindowMonitor(window_, nullptr, windowed_at_.x, windowed_at_.y, windowed_size_.width, windowed_size_.height,
                         0);
    return;
  }
  windowed_size_ = size();
  glfwGetWindowPos(window_, &windowed_at_.x, &windowed_at_.y);
  GLFWmonitor* monitor = glfwGetPrimaryMonitor();
  if (const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr)
    glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
}

Size2 AppWindow::framebuffer_size() const {
  Size2 size;
  glfwGetFramebufferSize(window_, &size.width, &size.height);
  return size;
}

Size2 AppWindow::size() const {
  Size2 size;
  glfwGetWindowSize(window_, &size.width, &size.height);
  return size;
}

float AppWindow::content_scale() const {
  float x = 1, y = 1;
  glfwGetWindowContentScale(window_, &x, &y);
  return x;
}

std::vector<std::string> AppWindow::take_dropped() {
  return std::exchange(dropped_, {});
}

}  // namespace conv
