// The contents of a folder, for the file chooser. A network drive may take seconds.
#pragma once
#include <stop_token>

#include "app/model/status.h"

namespace conv {

// Folders first, each part by name; hidden ones are left out. Ends early, with what it has, when it is stopped.
FolderListing read_folder(const FolderQuestion& question, const std::stop_token& stop);

}  // namespace conv
