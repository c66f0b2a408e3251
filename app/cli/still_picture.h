// The picture that commands without a window filter.
#pragma once
#include "app/model/settings.h"
#include "kernels/core/error.h"

namespace conv {

// A file in its scale, or a pattern; of a moving scene the first frame. The error says why it cannot be read, or that
// it is too large.
Result<Picture> still_picture(const SourceSettings& source);

}  // namespace conv
