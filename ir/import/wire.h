/*
 * wire.h - the protobuf wire format, read in place.
 *
 * A message is walked field by field over the mapped bytes; nothing is copied
 * and nothing is nested, so a hostile file costs neither memory nor stack.
 * What the fields mean is the reader's business (ir/import/decode.c);
 * docs/design/onnx.md says why there is no generated parser.
 */
#ifndef MW_IR_IMPORT_WIRE_H
#define MW_IR_IMPORT_WIRE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mw_wire {
    const uint8_t *pos, *end;
    bool bad; /* malformed: what followed was not read */
} mw_wire;

typedef enum mw_wire_type {
    MW_WIRE_VARINT = 0,
    MW_WIRE_I64 = 1,
    MW_WIRE_BYTES = 2,
    MW_WIRE_I32 = 5
} mw_wire_type;

typedef struct mw_wire_field {
    uint32_t number;
    mw_wire_type type;
    uint64_t value; /* of a number, its bits */
    mw_wire bytes;  /* of bytes, texts, messages and packed numbers */
} mw_wire_field;

/* The next field; false at the end and where the message is malformed. */
bool mw_wire_next(mw_wire *wire, mw_wire_field *field);

/* The next number of a packed field; false as above. */
bool mw_wire_number(mw_wire *wire, mw_wire_type type, uint64_t *value);

/* The numbers of a repeated field, packed or one by one: a wire over them
 * (one number is read from `field` itself) and their type. */
typedef struct mw_wire_numbers {
    mw_wire wire;
    mw_wire_type type;
    bool single;
    uint64_t value;
} mw_wire_numbers;

/* type: of one number of the field, when it is packed. */
mw_wire_numbers mw_wire_numbers_of(const mw_wire_field *field,
                                   mw_wire_type type);
bool mw_wire_numbers_next(mw_wire_numbers *numbers, uint64_t *value);

int64_t mw_wire_length(const mw_wire *wire);

#endif
