#include "app/cli/still_picture.h"

namespace conv {

Result<Picture> still_picture(const SourceSettings& source) {
  if (!source.path.empty()) return load_picture(source.path, source.percent);
  CONV_TRY(check_size("The pattern", source.pattern_size));
  return make_pattern(source.pattern, source.pattern_size, source.seed);
}

}  // namespace conv
