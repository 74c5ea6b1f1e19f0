// SPDX-License-Identifier: BSD-3-Clause
// launcher: /bin/sh of a root file system without a shell. It runs one program with its words.
//
//   /bin/sh FILE              the one line of FILE that is neither empty nor a comment
//   /bin/sh -c "PROGRAM WORD ..."
//
// Words end at spaces; quotes, variables and anything else a shell knows are not known here. A
// program without a folder is one of /usr/bin.
#include <fcntl.h>

#include "system.h"
#include "text.h"

enum { LINE_BYTES = 1024, PATH_BYTES = 256, MOST_WORDS = 64, NOT_RUN = 127 };

static int refuse(const char *what, const char *found) {
  char line[LINE_BYTES];
  struct text text = {.data = line, .room = sizeof line};
  append(&text, "sh: ");
  append(&text, what);
  append(&text, found);
  append(&text, "; this node has no shell, expected one program with its words\n");
  write_some(2, line, text.used);
  return NOT_RUN;
}

// The only line to run; NULL when there is none, or more than one.
static char *only_line(char *data) {
  char *found = NULL;
  for (char *at = data; *at;) {
    char *const line = at;
    while (*at && *at != '\n') at++;
    if (*at) *at++ = 0;
    if (!*line || *line == '#') continue;
    if (found) return NULL;
    found = line;
  }
  return found;
}

static bool split(char *line, const char **words) {
  size_t count = 0;
  while (*line) {
    while (*line == ' ') *line++ = 0;
    if (!*line) break;
    if (count == MOST_WORDS) return false;
    words[count++] = line;
    while (*line && *line != ' ') line++;
  }
  words[count] = NULL;
  return count > 0;
}

int main(int argc, char **argv) {
  static char data[LINE_BYTES];
  const char *words[MOST_WORDS + 1];
  char *line = NULL;
  if (argc == 3 && starts_with(argv[1], "-c")) {
    line = argv[2];
  } else if (argc == 2) {
    const int file = open_file(argv[1], O_RDONLY);
    const long got = file < 0 ? -1 : read_some(file, data, sizeof data - 1);
    if (got < 0) return refuse("cannot read ", argv[1]);
    line = only_line(data);
  }
  if (!line || !split(line, words)) return refuse("found something else in ", argv[argc - 1]);
  char path[PATH_BYTES];
  struct text text = {.data = path, .room = sizeof path};
  append(&text, *words[0] == '/' ? "" : "/usr/bin/");
  append(&text, words[0]);
  if (!text.full) call3(__NR_execve, path, words, argv + argc + 1);
  return refuse("cannot run ", words[0]);
}
