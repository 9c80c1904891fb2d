#ifndef TAMIS_DEVICE_H
#define TAMIS_DEVICE_H
/*
 * Training where memory is short: on samples of one or two bytes a number, or on rows that a callback fetches from flash
 * or a card for every pass; and two slots of flash in which a model survives loss of power while the next one is saved.
 * Beside tamis.h, whose rules hold here as well; tamis_device.cpp is compiled on its own, and programs without it pay
 * nothing.
 */
#include "tamis.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What samples are stored as. */
typedef enum tamis_integer {
  TAMIS_UINT8 = 0,
  TAMIS_INT8,
  TAMIS_UINT16,
  TAMIS_INT16
} tamis_integer;

/* What a callback answers instead of a number of values when it fails. */
#define TAMIS_ROW_FAILED 0xffffffffu

/* Room for the state of a training run; see tamis_training. */
#define TAMIS_DEVICE_WORDS 240

/* For float. */

/** Samples as integers q of one or two bytes: feature j of sample i is (q - zero_j) * scale_j. The bits of training
 * are those of these numbers as float. Start from zeros; what it points to must stay valid while training runs. */
typedef struct tamis_quantised_f32 {
  const void *values;       /**< column after column, or with by_rows sample after sample; problem.column_stride: */
                            /**< integers from one to the next, 0: no gaps */
  uint32_t integer;         /**< tamis_integer */
  uint32_t by_rows;         /**< 0 or 1 */
  float scale;              /**< of all features, unless scales is given */
  int32_t zero;             /**< the integer that stands for 0, unless zeros is given; in the range of the integers */
  const float *scales;      /**< one per feature, or NULL */
  const void *zeros;        /**< one integer per feature, of the same kind as values, or NULL */
} tamis_quantised_f32;

/** Writes the values of all features of a sample to out, and returns how many it wrote, or TAMIS_ROW_FAILED. Any
 * number but `features` is a row out of step. It must give the same values in every pass. */
typedef uint32_t (*tamis_row_f32)(void *context, uint32_t sample, float *out, uint32_t features);

/** Samples that are fetched; what it points to must stay valid while training runs. */
typedef struct tamis_rows_f32 {
  tamis_row_f32 row;
  void *context;
  float *room;              /**< memory for rows, beside the arena */
  uint32_t room_rows;       /**< 1: room for `features` numbers, a row at a time; r: for (r + 1) features numbers, r */
} tamis_rows_f32;           /**< rows at a time. With all of them, they are fetched once */

typedef struct tamis_device_f32 {
  uint64_t words[TAMIS_DEVICE_WORDS];
} tamis_device_f32;

/** Exact bytes of arena, as tamis_training_bytes. Solvers are TAMIS_PRIMAL_DUAL, TAMIS_FISTA,
 * TAMIS_CONSTRAINED_PRIMAL_DUAL and TAMIS_CRAMMER_SINGER_DUAL, and TAMIS_AUTOMATIC the one of them that suits;
 * others, and combinations that are refused: 0. Hinge and ridge on samples of large numbers, whose mean square distance
 * from their mean is above 1000 n lambda, hinge and elastic-net where it is above 10 classes n lambda (1 - l1_ratio),
 * and hinge and group-l2 where the root of it is above 12 n lambda, are better solved by TAMIS_PRIMAL_DUAL: samples are
 * not read for that. */
size_t tamis_device_bytes_f32(const tamis_problem_f32 *problem);

/** As tamis_start, with the samples of one of quantised and rows, the other NULL; values, rows and starts of the
 * problem are not read. TAMIS_INVALID_SHAPE for both or neither, an unknown integer or null pointers;
 * TAMIS_INVALID_OPTION for a zero out of range or a solver that is not here. */
tamis_status tamis_device_start_f32(tamis_device_f32 *device, const tamis_problem_f32 *problem,
                                    const tamis_quantised_f32 *quantised, const tamis_rows_f32 *rows, void *arena,
                                    size_t arena_bytes);

/** As tamis_step. TAMIS_SOURCE_FAILED or TAMIS_SHORT_ROW when a row could not be read; start again once it can. */
tamis_status tamis_device_step_f32(tamis_device_f32 *device, uint32_t steps);

/** As tamis_stop and tamis_report_of. */
void tamis_device_stop_f32(tamis_device_f32 *device);
void tamis_device_report_of_f32(const tamis_device_f32 *device, tamis_report_f32 *report);

/** As tamis_model_of; after a row that could not be read, the best model so far, if there was one. */
tamis_status tamis_device_model_of_f32(const tamis_device_f32 *device, tamis_model_f32 *model);

/* catalogue: double */
/* The same for double. */
typedef struct tamis_quantised_f64 {
  const void *values;
  uint32_t integer;
  uint32_t by_rows;
  double scale;
  int32_t zero;
  const double *scales;
  const void *zeros;
} tamis_quantised_f64;
typedef uint32_t (*tamis_row_f64)(void *context, uint32_t sample, double *out, uint32_t features);
typedef struct tamis_rows_f64 {
  tamis_row_f64 row;
  void *context;
  double *room;
  uint32_t room_rows;
} tamis_rows_f64;
typedef struct tamis_device_f64 {
  uint64_t words[TAMIS_DEVICE_WORDS];
} tamis_device_f64;
size_t tamis_device_bytes_f64(const tamis_problem_f64 *problem);
tamis_status tamis_device_start_f64(tamis_device_f64 *device, const tamis_problem_f64 *problem,
                                    const tamis_quantised_f64 *quantised, const tamis_rows_f64 *rows, void *arena,
                                    size_t arena_bytes);
tamis_status tamis_device_step_f64(tamis_device_f64 *device, uint32_t steps);
void tamis_device_stop_f64(tamis_device_f64 *device);
void tamis_device_report_of_f64(const tamis_device_f64 *device, tamis_report_f64 *report);
tamis_status tamis_device_model_of_f64(const tamis_device_f64 *device, tamis_model_f64 *model);
/* end of catalogue */

/* How saving or loading ended. */
typedef enum tamis_slot_end {
  TAMIS_SLOT_DONE = 0,
  TAMIS_SLOT_EMPTY,           /* neither slot holds a model */
  TAMIS_SLOT_TOO_SMALL,       /* the blob does not fit a slot, or not the memory it is to be loaded into */
  TAMIS_SLOT_NO_BLOB,         /* what is to be saved is no valid blob */
  TAMIS_SLOT_FAILED           /* the storage failed, or did not keep what was written; the model before stays */
} tamis_slot_end;

/* Two slots, number 0 and 1, of flash, EEPROM or a file. Each function returns 1 when it succeeded, 0 when not. erase
 * makes a slot writable; between two erasures each byte is written once, at offsets that are multiples of 16, in pieces
 * of a multiple of 16, the last of a blob aside. */
typedef struct tamis_slots {
  void *context;
  size_t slot_bytes;          /* 16 more than the largest blob */
  int (*erase)(void *context, uint32_t slot);
  int (*write)(void *context, uint32_t slot, size_t offset, const void *from, size_t bytes);
  int (*read)(void *context, uint32_t slot, size_t offset, void *to, size_t bytes);
} tamis_slots;

/* Saves a blob (tamis_blob_write) in the slot that does not hold the newest one, and reads it again. Interrupted at any
 * byte, tamis_slots_load gives the blob before, or this one. */
tamis_slot_end tamis_slots_save(const tamis_slots *slots, const void *blob, size_t bytes);

/* Reads the newest blob that is whole; *bytes, if not NULL, is its size, 0 when there is none. */
tamis_slot_end tamis_slots_load(const tamis_slots *slots, void *out, size_t room, size_t *bytes);

/* One sentence. Never NULL. */
const char *tamis_slot_sentence(uint32_t end);

#ifdef __cplusplus
}
#endif
#endif
