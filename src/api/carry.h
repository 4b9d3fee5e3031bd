/* Carry as a library: HLSL or GLSL in; SPIR-V, Metal Shading Language, WGSL out. A C interface that stays: functions are only
   added, numbers keep their meaning.

     CarryRequest* request = carry_request_create();
     carry_request_set_source(request, "blur.comp", text, size);
     carry_request_add_target(request, "msl2.4");
     CarryResult* result = carry_compile(request);
     if (carry_result_status(result) != CARRY_OK) puts(carry_result_messages(result, CARRY_TEXT));
     carry_result_destroy(result);
     carry_request_destroy(request);

   Text that goes in is copied; text that comes out is UTF-8, ends with a zero byte and lives as long as its owner. A null request
   or result is taken and gives CARRY_WRONG_USE, 0 or "". */
#ifndef CARRY_H
#define CARRY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when something is added. */
#define CARRY_API_VERSION 1
uint32_t carry_api_version(void);

typedef struct CarryRequest CarryRequest;
typedef struct CarryResult CarryResult;

typedef enum CarryStatus {
  CARRY_OK = 0,        /* warnings included */
  CARRY_REFUSED = 1,   /* the source was refused, by all targets or by one: see the messages */
  CARRY_WRONG_USE = 2, /* the request is wrong: see carry_request_error; nothing was compiled */
  CARRY_FAULT = 3      /* a fault of Carry itself: please report the message */
} CarryStatus;

typedef enum CarryFormat { CARRY_TEXT = 0, CARRY_MSVC = 1, CARRY_JSON = 2, CARRY_SARIF = 3 } CarryFormat;

/* ---- what to compile: each answers CARRY_OK or CARRY_WRONG_USE ---- */

CarryRequest* carry_request_create(void);
void carry_request_destroy(CarryRequest* request);
/* `name` is what messages show; its ending gives language and stage as on the command line ("a.vert", "a.hlsl"). */
CarryStatus carry_request_set_source(CarryRequest* request, const char* name, const char* text, size_t size);
/* "glsl" or "hlsl". */
CarryStatus carry_request_set_language(CarryRequest* request, const char* language);
/* Of the file: "vert", "frag", "comp" ... */
CarryStatus carry_request_set_stage(CarryRequest* request, const char* stage);
/* By its name in the source; `stage` may be null. None added: those that the source marks, else `main`. */
CarryStatus carry_request_add_entry(CarryRequest* request, const char* name, const char* stage);
/* "spirv", "vulkan1.1", "msl2.4", "wgsl+f16" ... as for --target. */
CarryStatus carry_request_add_target(CarryRequest* request, const char* target);
/* `value` may be null: 1. */
CarryStatus carry_request_add_macro(CarryRequest* request, const char* name, const char* value);
/* optimisation: 0 1 2 s; shader-model: 6.6; bindings: auto dxc separated; layout: dxc d3d std scalar; error-limit: a number; and with
   the values 0 and 1: debug, warnings-as-errors, no-warnings, row-major, 16bit-types, native-arithmetic, strict. */
CarryStatus carry_request_set_option(CarryRequest* request, const char* option, const char* value);
/* Why the last call of the above answered CARRY_WRONG_USE. */
const char* carry_request_error(const CarryRequest* request);

/* Includes. The function is called from within carry_compile; it answers 1 and fills in `answer`, or 0 when there is no such
   file. What `answer` points to is copied before the next call. Without a function each #include is an error. */
typedef struct CarryIncluded {
  const char* path; /* for messages, and `includer` of includes in it; the same path is the same file */
  const char* text;
  size_t size;
} CarryIncluded;
typedef int (*CarryIncludeFunction)(void* user, const char* name, int angled, const char* includer, CarryIncluded* answer);
CarryStatus carry_request_set_include(CarryRequest* request, CarryIncludeFunction function, void* user);

/* ---- compile ---- */

/* Null only if memory is out. The request stays as it is and may be used again. */
CarryResult* carry_compile(const CarryRequest* request);
void carry_result_destroy(CarryResult* result);
CarryStatus carry_result_status(const CarryResult* result);
/* As many as there were targets, in their order. One that failed has a size of 0. */
size_t carry_result_output_count(const CarryResult* result);
const void* carry_result_output(const CarryResult* result, size_t index, size_t* size);
/* All messages in one text; "" when there are none. */
const char* carry_result_messages(const CarryResult* result, CarryFormat format);
/* JSON, as `carry reflect` prints it; "" when the source was refused. */
const char* carry_result_reflection(const CarryResult* result);
/* Paths of the files that were included. */
size_t carry_result_dependency_count(const CarryResult* result);
const char* carry_result_dependency(const CarryResult* result, size_t index);

#ifdef __cplusplus
}
#endif

#endif
