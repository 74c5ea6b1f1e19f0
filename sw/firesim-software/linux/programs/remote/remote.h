// SPDX-License-Identifier: BSD-3-Clause
// Ends the memory blade.
#ifndef FIRESIM_REMOTE_H_
#define FIRESIM_REMOTE_H_

// `words` are those of the command line, of which peer= is needed.
void say_good_bye(char **words);

#endif  // FIRESIM_REMOTE_H_
