// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a build step: writes down each file that the step opens, makes, or misses.
//
// A record is one letter ('r' opened for reading, 'w' made or opened for writing, 'm' missing, 'l'
// resolved, which a link may lead elsewhere), the process, an absolute path and a zero byte,
// appended to the file that FIRESIM_WATCH names. The file is opened for each record: programs close
// descriptors that they do not know. A program that starts others hands this library on to them by
// its environment.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int folder_of(int at, char *text, size_t room) {
  if (at == AT_FDCWD) return getcwd(text, room) != NULL;
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", at);
  const ssize_t length = readlink(link, text, room - 1);
  if (length <= 0) return 0;
  text[length] = '\0';
  return 1;
}

static void note(char what, int at, const char *path) {
  const int kept = errno;
  const char *log = getenv("FIRESIM_WATCH");
  char text[2 * PATH_MAX + 40];
  if (log == NULL || path == NULL || path[0] == '\0' || strlen(path) >= PATH_MAX) goto end;
  size_t length = (size_t)sprintf(text, "%c%ld", what, (long)getpid());
  if (path[0] != '/') {
    if (!folder_of(at, text + length, PATH_MAX)) goto end;
    length += strlen(text + length);
    text[length++] = '/';
  }
  const size_t more = strlen(path) + 1;
  memcpy(text + length, path, more);
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0) goto end;
  if (syscall(SYS_write, file, text, length + more) < 0) _exit(113);  // Half a list would lie.
  syscall(SYS_close, file);
end:
  errno = kept;
}

static int missed(void) { return errno == ENOENT || errno == ENOTDIR; }

static void note_open(int result, int at, const char *path, int flags) {
  if (result < 0) {
    if (missed()) note('m', at, path);
  } else if ((flags & (O_CREAT | O_TRUNC)) != 0 || (flags & O_ACCMODE) == O_WRONLY) {
    note('w', at, path);
  } else {
    note('r', at, path);
  }
}

static void note_missing(int result, int at, const char *path) {
  if (result < 0 && missed()) note('m', at, path);
}

static mode_t mode_of(int flags, va_list more) {
  const int has_mode = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return has_mode ? va_arg(more, mode_t) : 0;
}

#define OPEN(name)                                    \
  EXPORT int name(const char *path, int flags, ...) { \
    va_list more;                                     \
    va_start(more, flags);                            \
    const mode_t mode = mode_of(flags, more);         \
    va_end(more);                                     \
    const int result = NEXT(name)(path, flags, mode); \
    note_open(result, AT_FDCWD, path, flags);         \
    return result;                                    \
  }
OPEN(open)
OPEN(open64)

#define OPEN_AT(name)                                         \
  EXPORT int name(int at, const char *path, int flags, ...) { \
    va_list more;                                             \
    va_start(more, flags);                                    \
    const mode_t mode = mode_of(flags, more);                 \
    va_end(more);                                             \
    const int result = NEXT(name)(at, path, flags, mode);     \
    note_open(result, at, path, flags);                       \
    return result;                                            \
  }
OPEN_AT(openat)
OPEN_AT(openat64)

// What the calls above become where the compiler checks them (_FORTIFY_SOURCE).
#define OPEN_CHECKED(name)                       \
  EXPORT int name(const char *path, int flags);  \
  EXPORT int name(const char *path, int flags) { \
    const int result = NEXT(name)(path, flags);  \
    note_open(result, AT_FDCWD, path, flags);    \
    return result;                               \
  }
OPEN_CHECKED(__open_2)
OPEN_CHECKED(__open64_2)

#define OPEN_AT_CHECKED(name)                            \
  EXPORT int name(int at, const char *path, int flags);  \
  EXPORT int name(int at, const char *path, int flags) { \
    const int result = NEXT(name)(at, path, flags);      \
    note_open(result, at, path, flags);                  \
    return result;                                       \
  }
OPEN_AT_CHECKED(__openat_2)
OPEN_AT_CHECKED(__openat64_2)

static void note_stream(const FILE *result, const char *path, const char *mode) {
  note_open(result == NULL ? -1 : 0, AT_FDCWD, path, mode[0] == 'r' ? O_RDONLY : O_WRONLY);
}

#define STREAM(name)                                      \
  EXPORT FILE *name(const char *path, const char *mode) { \
    FILE *const result = NEXT(name)(path, mode);          \
    note_stream(result, path, mode);                      \
    return result;                                        \
  }
STREAM(fopen)
STREAM(fopen64)

#define AGAIN(name)                                                     \
  EXPORT FILE *name(const char *path, const char *mode, FILE *stream) { \
    FILE *const result = NEXT(name)(path, mode, stream);                \
    note_stream(result, path, mode);                                    \
    return result;                                                      \
  }
AGAIN(freopen)
AGAIN(freopen64)

#define LOOK(name, type)                           \
  EXPORT int name(const char *path, type *found) { \
    const int result = NEXT(name)(path, found);    \
    note_missing(result, AT_FDCWD, path);          \
    return result;                                 \
  }
LOOK(stat, struct stat)
LOOK(stat64, struct stat64)
LOOK(lstat, struct stat)
LOOK(lstat64, struct stat64)

#define LOOK_AT(name, type)                                           \
  EXPORT int name(int at, const char *path, type *found, int flags) { \
    const int result = NEXT(name)(at, path, found, flags);            \
    note_missing(result, at, path);                                   \
    return result;                                                    \
  }
LOOK_AT(fstatat, struct stat)
LOOK_AT(fstatat64, struct stat64)

// What programs that were linked on an older system call.
#define OLD_LOOK(name, type)                                    \
  EXPORT int name(int version, const char *path, type *found);  \
  EXPORT int name(int version, const char *path, type *found) { \
    const int result = NEXT(name)(version, path, found);        \
    note_missing(result, AT_FDCWD, path);                       \
    return result;                                              \
  }
OLD_LOOK(__xstat, struct stat)
OLD_LOOK(__xstat64, struct stat64)
OLD_LOOK(__lxstat, struct stat)
OLD_LOOK(__lxstat64, struct stat64)

EXPORT int statx(int at, const char *path, int flags, unsigned mask, struct statx *found) {
  const int result = NEXT(statx)(at, path, flags, mask, found);
  note_missing(result, at, path);
  return result;
}

EXPORT int access(const char *path, int mode) {
  const int result = NEXT(access)(path, mode);
  note_missing(result, AT_FDCWD, path);
  return result;
}

EXPORT int faccessat(int at, const char *path, int mode, int flags) {
  const int result = NEXT(faccessat)(at, path, mode, flags);
  note_missing(result, at, path);
  return result;
}

// Tools that ask where a path leads open what they are told, and not the path.
#define RESOLVE(name, ...)                           \
  const int kept = errno;                            \
  char *const result = NEXT(name)(__VA_ARGS__);      \
  if (result != NULL && strcmp(result, path) != 0) { \
    note('l', AT_FDCWD, path);                       \
  } else if (result == NULL && missed()) {           \
    note('m', AT_FDCWD, path);                       \
  }                                                  \
  if (result != NULL) errno = kept;                  \
  return result

EXPORT char *realpath(const char *path, char *resolved) { RESOLVE(realpath, path, resolved); }

EXPORT char *__realpath_chk(const char *path, char *resolved, size_t room);
EXPORT char *__realpath_chk(const char *path, char *resolved, size_t room) {
  RESOLVE(__realpath_chk, path, resolved, room);
}

EXPORT char *canonicalize_file_name(const char *path) { RESOLVE(canonicalize_file_name, path); }

EXPORT ssize_t readlink(const char *path, char *text, size_t room) {
  const ssize_t length = NEXT(readlink)(path, text, room);
  if (length >= 0) note('l', AT_FDCWD, path);
  note_missing(length < 0 ? -1 : 0, AT_FDCWD, path);
  return length;
}

EXPORT ssize_t readlinkat(int at, const char *path, char *text, size_t room) {
  const ssize_t length = NEXT(readlinkat)(at, path, text, room);
  if (length >= 0) note('l', at, path);
  note_missing(length < 0 ? -1 : 0, at, path);
  return length;
}

// The first record: who finds none knows that nothing was watched.
__attribute__((constructor)) static void begin(void) { note('w', AT_FDCWD, "/"); }
