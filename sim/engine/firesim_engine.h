/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The C interface every blade model (model.so) exports, whatever compiled it. See
 * docs/reference/interfaces.md, section 4. Ports are read and written in place. */
#ifndef FIRESIM_ENGINE_H
#define FIRESIM_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { FIRESIM_ENGINE_ABI_VERSION = 4 };

/* What a signal is. Registers and memories are the state between two cycles. A wire has the value
 * of the cycle last settled, and is there only in models built for waves. A constant is bits of the
 * register of its name that never change: it is no state, and must not be written. */
enum { FIRESIM_REGISTER = 0, FIRESIM_MEMORY = 1, FIRESIM_WIRE = 2, FIRESIM_CONSTANT = 3 };

/* One top-level port of a model instance. `storage` stays valid until the instance is destroyed.
 * Width in bits decides its type: <=8 uint8_t, <=16 uint16_t, <=32 uint32_t, <=64 uint64_t,
 * otherwise uint32_t[(width_bits + 31) / 32], least significant word first. Unused bits are 0. */
typedef struct FiresimPort {
  const char *name;
  uint32_t width_bits;
  uint32_t is_input; /* 1: host to target */
  void *storage;
} FiresimPort;

/* A word of what is inside a model instance, at most 64 bits; what is wider is several words of one
 * name that differ in `low_bit`. `storage` holds the word in the type a port of that width has, for
 * a memory an array of `rows` of them. */
typedef struct FiresimSignal {
  const char *name; /* hierarchical, "tile.core.pc" */
  uint32_t low_bit;
  uint32_t width_bits;
  uint32_t rows; /* 1 unless a memory */
  uint32_t kind; /* FIRESIM_REGISTER and the others */
  void *storage;
} FiresimSignal;

/* Call order for one target cycle: write input ports, settle() once, read output ports, tick()
 * once. Outputs keep their values after tick() until the next settle(). */
typedef struct FiresimEngine {
  uint32_t abi_version;    /* FIRESIM_ENGINE_ABI_VERSION */
  uint32_t port_count;     /* without the clock */
  const char *design_hash; /* equals "design_hash" in model.json */
  const char *engine_name; /* e.g. "verilator 5.048" */
  void *(*create)(void);   /* a new instance, or NULL when out of memory */
  void (*destroy)(void *instance);
  FiresimPort (*port)(void *instance, uint32_t index); /* index < port_count */
  void (*settle)(void *instance); /* outputs of this cycle, from state and inputs */
  void (*tick)(void *instance);   /* ends the cycle: one rising edge of the target clock */
  /* State of an instance between two cycles, ports included: after tick(), or before the first
   * settle(). save() gives all of it to `write`, in any number of pieces, and changes nothing.
   * load() takes it over, from an instance of the same design hash and engine name, into any
   * instance; returns 0, or -1 when the bytes are not such a state, and then the instance must only
   * be destroyed. Both NULL when the engine cannot do it. */
  void (*save)(void *instance, void (*write)(void *to, const void *data, size_t bytes), void *to);
  int (*load)(void *instance, const void *data, size_t bytes);
  /* Signals by number; 0 and both NULL when the engine cannot show them. Registers and memories may
   * be written between two cycles; written() must follow. */
  uint32_t signal_count;
  FiresimSignal (*signal)(void *instance, uint32_t index); /* index < signal_count */
  void (*written)(void *instance);
} FiresimEngine;

/* The single exported symbol. */
const FiresimEngine *firesim_engine(void);

#ifdef __cplusplus
}
#endif
#endif
