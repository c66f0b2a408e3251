#include "support.h"

#include <unistd.h>

namespace conv {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "convoscope-test-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

pid_t start(const std::string& command) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", ("exec " + command).c_str(), nullptr);
    _exit(1);
  }
  return child;
}

HostImage convolved(const Variant& variant, const HostImage& source, const FilterSpec& filter, Border border,
                    float border_value, Size2 block) {
  static CpuExecutor executor;
  const Settings settings{.filter = filter, .border = border, .border_value = border_value};
  const LaneSettings lane{.variant = std::string(variant.id), .format = source.type, .block = block};
  const auto plan = plan_of(lane, settings, std::make_shared<Taps>(*taps_of(filter)), source.size, cpu_limits());
  HostImage target(source.type, source.size);
  if (!plan) {
    ADD_FAILURE() << plan.error().text;
    return target;
  }
  EXPECT_TRUE(executor.run(*plan, source, target));
  return target;
}

std::string test_name(std::string_view text) {
  std::string name(text);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

}  // namespace conv
