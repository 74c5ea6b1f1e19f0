// SPDX-License-Identifier: BSD-3-Clause
// opener: a process and its thread, each of which knows how many cycles each stack of its functions
// took, in two shared libraries: the second is opened when the first is closed, and lies where that
// one was. Neither is there when the program starts.
//
// Each begins its work when the other waits. The region of interest begins before the first library
// is opened.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../work.h"

typedef void library_function(struct measure *m, callback *back);

enum { LIBRARIES = 2 };

static const char *const libraries[LIBRARIES] = {"/usr/lib/opened.so", "/usr/lib/reopened.so"};
static struct measure own, threads_own, unnoted;
static library_function *threads_run;
static sem_t thread_may, thread_has;

FUNCTION static void work(struct measure *m, library_function *run) {
  enter(m, "work");
  busy(8000);
  run(m, leaf);
  busy(5000);
  leave(m);
}

// Once, so that what a function needs is in memory when the cycles that it takes are noted.
FUNCTION static void prepare(library_function *run) {
  run(&unnoted, leaf);
  memset(&unnoted, 0, sizeof unnoted);
}

FUNCTION static void note(struct measure *m, library_function *run) {
  memset(m, 0, sizeof *m);
  begin(m);
  work(m, run);
}

static void *thread(void *nothing) {
  for (int i = 0; i < LIBRARIES; i++) {
    sem_wait(&thread_may);
    note(&threads_own, threads_run);
    sem_post(&thread_has);
  }
  return nothing;
}

static void print_path(const struct measure *m, int node) {
  if (m->nodes[node].parent != 0) {
    print_path(m, m->nodes[node].parent);
    printf(";");
  }
  printf("%s", m->nodes[node].name);
}

void tell(const struct measure *m, const char *who) {
  for (int i = 1; i <= m->used; i++) {
    printf("truth %s ", who);
    print_path(m, i);
    printf(" %lu\n", m->nodes[i].cycles);
  }
}

static void fail(const char *what) {
  printf("opener: %s\n", what);
  exit(1);
}

int main(void) {
  pthread_t other;
  void *places[LIBRARIES];
  sem_init(&thread_may, 0, 0);
  sem_init(&thread_has, 0, 0);
  if (pthread_create(&other, NULL, thread, NULL) != 0) fail("cannot make a thread");
  __asm__ volatile(".word 0x00008013");  // the region of interest begins
  for (int i = 0; i < LIBRARIES; i++) {
    void *const library = dlopen(libraries[i], RTLD_NOW);
    if (library == NULL) fail(dlerror());
    places[i] = dlsym(library, "run");
    if (places[i] == NULL) fail(dlerror());
    threads_run = (library_function *)places[i];
    prepare(threads_run);
    note(&own, threads_run);
    sem_post(&thread_may);
    sem_wait(&thread_has);
    tell(&own, "process");
    tell(&threads_own, "thread");
    dlclose(library);
  }
  pthread_join(other, NULL);
  const long apart = (char *)places[1] - (char *)places[0];
  if (labs(apart) < 4096) printf("the libraries lay at one place\n");
  printf("stacks are done\n");
  return 0;
}
