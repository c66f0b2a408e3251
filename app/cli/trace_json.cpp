#include "app/cli/trace_json.h"

namespace conv {

namespace {

using nlohmann::json;

double share(long long part, long long whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

json json_of_shared(const RequestTotals& t) {
  return {{"requests", t.requests},
          {"wavefronts", t.wavefronts},
          {"wavefronts_per_request", share(t.wavefronts, t.requests)},
          {"accesses", t.accesses},
          {"idle_lanes", t.idle_lanes}};
}

json json_of_global(const RequestTotals& t) {
  return {{"requests", t.requests},
          {"sectors", t.sectors},
          {"sectors_per_request", share(t.sectors, t.requests)},
          {"efficiency", share(t.used_bytes, t.moved_bytes)},
          {"moved_bytes", t.moved_bytes},
          {"used_bytes", t.used_bytes},
          {"accesses", t.accesses},
          {"idle_lanes", t.idle_lanes}};
}

}  // namespace

json json_of(const MemoryTotals& t) {
  return {{"shared_read", json_of_shared(t.shared_read)},
          {"shared_write", json_of_shared(t.shared_write)},
          {"global_read", json_of_global(t.global_read)},
          {"global_write", json_of_global(t.global_write)},
          {"tap_read",
           {{"requests", t.taps.requests},
            {"words", t.taps.words},
            {"words_per_request", share(t.taps.words, t.taps.requests)},
            {"sectors", t.taps.sectors}}}};
}

}  // namespace conv
