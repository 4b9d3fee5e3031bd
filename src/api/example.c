/* A host in C: compiles a file to WGSL and prints it. Build: cc -Isrc/api example.c libcarry_core.a -lstdc++ -lm -lpthread */
#include <stdio.h>
#include <stdlib.h>

#include "carry.h"

static char* read_whole(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  *size = 0;
  if (file == NULL) return NULL;
  for (;;) {
    char* grown = realloc(text, *size + 65536);
    size_t got;
    if (grown == NULL) break;
    text = grown;
    got = fread(text + *size, 1, 65536, file);
    *size += got;
    if (got == 0) break;
  }
  fclose(file);
  return text;
}

int main(int argc, char** argv) {
  size_t size = 0;
  char* text = argc == 2 ? read_whole(argv[1], &size) : NULL;
  CarryRequest* request;
  CarryResult* result;
  CarryStatus status;
  if (text == NULL) {
    fputs("usage: example FILE\n", stderr);
    return 2;
  }
  request = carry_request_create();
  carry_request_set_source(request, argv[1], text, size);
  carry_request_add_target(request, "wgsl");
  result = carry_compile(request);
  status = carry_result_status(result);
  fputs(carry_result_messages(result, CARRY_TEXT), stderr);
  if (status == CARRY_OK) {
    size_t written = 0;
    const void* output = carry_result_output(result, 0, &written);
    fwrite(output, 1, written, stdout);
  }
  carry_result_destroy(result);
  carry_request_destroy(request);
  free(text);
  return (int)status;
}
