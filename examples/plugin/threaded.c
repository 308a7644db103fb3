/* Copyright The Faultline Authors */
/* SPDX-License-Identifier: Apache-2.0 */

/* tiny.c on a thread of its own, which is there from the first application on and does not survive
 * a fork: what an engine on OpenMP or any pool of the process is like. */

#include <pthread.h>

#define faultline_plugin_v1 tiny_plugin
#include "examples/plugin/tiny.c"
#undef faultline_plugin_v1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started;

/* The application under way; null: none. */
static struct {
  void* session;
  const faultline_application* application;
  uint64_t* results;
  faultline_message message;
  faultline_status status;
} task;

static void* serve(void* unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (task.application == NULL) pthread_cond_wait(&changed, &lock);
    task.status = apply(task.session, task.application, task.results, task.message);
    task.application = NULL;
    pthread_cond_broadcast(&changed);
  }
}

static faultline_status apply_elsewhere(void* self, const faultline_application* a,
                                        uint64_t* results, faultline_message message) {
  pthread_mutex_lock(&lock);
  pthread_t thread;
  if (!started && pthread_create(&thread, NULL, serve, NULL) != 0) {
    pthread_mutex_unlock(&lock);
    return fail(FAULTLINE_INTERNAL, message, "no thread");
  }
  if (!started) pthread_detach(thread);
  started = 1;
  task.session = self;
  task.application = a;
  task.results = results;
  task.message = message;
  pthread_cond_broadcast(&changed);
  while (task.application != NULL) pthread_cond_wait(&changed, &lock);
  const faultline_status status = task.status;
  pthread_mutex_unlock(&lock);
  return status;
}

const faultline_plugin* faultline_plugin_v1(void);

const faultline_plugin* faultline_plugin_v1(void) {
  static faultline_plugin plugin;
  plugin = *tiny_plugin();
  plugin.name = "threaded";
  plugin.apply = apply_elsewhere;
  return &plugin;
}
