// SPDX-License-Identifier: BSD-3-Clause
// Locks of open files; see part_lock.h.
#include "hostlib/part_lock.h"

#include <fcntl.h>

namespace firesim::hostlib {

bool lock_part(int file, size_t first, size_t bytes) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(first);
  lock.l_len = static_cast<off_t>(bytes);
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

}  // namespace firesim::hostlib
