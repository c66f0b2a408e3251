// When memory is worth giving back.
#pragma once

namespace conv {

// Bytes. A larger block that is not needed now is given back; a smaller one is kept for the next use.
constexpr long long large_bytes = 64 << 20;

}  // namespace conv
