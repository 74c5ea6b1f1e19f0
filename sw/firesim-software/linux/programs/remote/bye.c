// SPDX-License-Identifier: BSD-3-Clause
// The last frame to a memory blade.
#include "remote.h"

#define PROGRAM "remote"
#include "../frames.h"

void say_good_bye(char **words) {
  const struct frames frames = open_frames(words);
  tell(&frames, MESSAGE_BYE, 0, 0);
}
