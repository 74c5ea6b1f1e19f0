// SPDX-License-Identifier: BSD-3-Clause
// Loops of arithmetic: a Fourier transform, bodies that attract each other, the Mandelbrot set,
// an LU decomposition, and SHA-256.
#include "kernels.h"

enum { POINTS = 512, BODIES = 16, SIDE = 20, PIXELS = 24, MOST_STEPS = 64 };

static double root(double of) {
  double value = of > 1 ? of : 1;
  for (unsigned i = 0; i < 12; i++) value = 0.5 * (value + of / value);
  return value;
}

static void butterflies(double *re, double *im, unsigned half, double step_re, double step_im) {
  double turn_re = 1, turn_im = 0;
  for (unsigned k = 0; k < half; k++) {
    for (unsigned i = k; i < POINTS; i += 2 * half) {
      const unsigned j = i + half;
      const double a = re[j] * turn_re - im[j] * turn_im, b = re[j] * turn_im + im[j] * turn_re;
      re[j] = re[i] - a, im[j] = im[i] - b;
      re[i] += a, im[i] += b;
    }
    const double next = turn_re * step_re - turn_im * step_im;
    turn_im = turn_re * step_im + turn_im * step_re;
    turn_re = next;
  }
}

// A transform of POINTS complex numbers in each round, without the reordering.
uint64_t fourier(uint64_t *memory, uint64_t rounds) {
  double *re = (double *)memory, *im = re + POINTS;
  double sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < POINTS; i++) re[i] = (double)(next_random() & 255) / 256, im[i] = 0;
    double cosine = -1, sine = 0;  // of pi, and of half the angle in each stage
    for (unsigned half = 1; half < POINTS; half *= 2) {
      butterflies(re, im, half, cosine, sine);
      const double less = root((1 + cosine) / 2);
      sine = -root((1 - cosine) / 2);
      cosine = less;
    }
    sum += re[1] * re[1] + im[1] * im[1];
  }
  return (uint64_t)(sum * 1024);
}

uint64_t bodies(uint64_t *memory, uint64_t rounds) {
  double(*at)[3] = (double(*)[3])memory, (*speed)[3] = at + BODIES;
  for (unsigned i = 0; i < BODIES; i++) {
    for (unsigned k = 0; k < 3; k++) at[i][k] = (double)(next_random() & 1023), speed[i][k] = 0;
  }
  while (rounds--) {
    for (unsigned i = 0; i < BODIES; i++) {
      for (unsigned j = 0; j < BODIES; j++) {
        double far[3], square = 1;
        for (unsigned k = 0; k < 3; k++) far[k] = at[j][k] - at[i][k], square += far[k] * far[k];
        const double pull = 1 / (square * root(square));
        for (unsigned k = 0; k < 3; k++) speed[i][k] += far[k] * pull;
      }
    }
    for (unsigned i = 0; i < BODIES; i++) {
      for (unsigned k = 0; k < 3; k++) at[i][k] += speed[i][k] * 0.01;
    }
  }
  return (uint64_t)(at[0][0] * 1024);
}

// The set over PIXELS x PIXELS points: as long as a point takes.
uint64_t mandelbrot(uint64_t *memory, uint64_t rounds) {
  uint64_t sum = 0;
  while (rounds--) {
    for (unsigned pixel = 0; pixel < PIXELS * PIXELS; pixel++) {
      const double re = (double)(pixel % PIXELS) * 3 / PIXELS - 2;
      const double im = (double)(pixel / PIXELS + rounds % 3) * 2 / PIXELS - 1;
      double a = 0, b = 0;
      unsigned steps = 0;
      for (; steps < MOST_STEPS && a * a + b * b < 4; steps++) {
        const double next = a * a - b * b + re;
        b = 2 * a * b + im;
        a = next;
      }
      memory[pixel] = steps;
      sum += steps;
    }
  }
  return sum;
}

uint64_t decompose(uint64_t *memory, uint64_t rounds) {
  double(*rows)[SIDE] = (double(*)[SIDE])memory;
  double sum = 0;
  while (rounds--) {
    for (unsigned i = 0; i < SIDE; i++) {
      for (unsigned j = 0; j < SIDE; j++)
        rows[i][j] = (double)(next_random() & 63) + (i == j) * 4096;
    }
    for (unsigned k = 0; k < SIDE; k++) {
      for (unsigned i = k + 1; i < SIDE; i++) {
        const double share = rows[i][k] /= rows[k][k];
        for (unsigned j = k + 1; j < SIDE; j++) rows[i][j] -= share * rows[k][j];
      }
    }
    sum += rows[SIDE - 1][SIDE - 1];
  }
  return (uint64_t)(sum * 16);
}

static uint32_t turned(uint32_t word, unsigned by) { return word >> by | word << (32 - by); }

// The rounds of SHA-256 over random blocks, with constants of a series of our own.
uint64_t digest(uint64_t *memory, uint64_t rounds) {
  uint32_t *words = (uint32_t *)memory, *constants = words + 64,
           state[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (unsigned i = 0; i < 64; i++) constants[i] = (uint32_t)next_random();
  for (uint64_t left = rounds * 10; left; left--) {
    for (unsigned i = 0; i < 16; i++) words[i] = (uint32_t)next_random();
    for (unsigned i = 16; i < 64; i++) {
      const uint32_t a = words[i - 15], b = words[i - 2];
      words[i] = words[i - 16] + words[i - 7] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) +
                 (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    uint32_t v[8];
    for (unsigned i = 0; i < 8; i++) v[i] = state[i];
    for (unsigned i = 0; i < 64; i++) {
      const uint32_t e = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
      const uint32_t a = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22);
      const uint32_t one = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + constants[i] + words[i];
      const uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      for (unsigned j = 7; j; j--) v[j] = v[j - 1];
      v[4] += one, v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++) state[i] += v[i];
  }
  return (uint64_t)state[0] << 32 | state[1];
}
