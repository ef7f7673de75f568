/*
 * protobuf.h - the protobuf wire format, read in place.
 *
 * A message is walked field by field over the mapped bytes; nothing is copied
 * and nothing is nested, so a hostile file costs neither memory nor stack.
 * What the fields mean is the reader's business (ir/import/onnx.c);
 * docs/design/onnx.md says why there is no generated parser.
 */
#ifndef MW_IR_IMPORT_PROTOBUF_H
#define MW_IR_IMPORT_PROTOBUF_H

#include <stdbool.h>
#include <stdint.h>

typedef struct mw_proto {
    const uint8_t *pos, *end;
    bool bad; /* malformed: what followed was not read */
} mw_proto;

typedef enum mw_proto_type {
    MW_PROTO_VARINT = 0,
    MW_PROTO_I64 = 1,
    MW_PROTO_BYTES = 2,
    MW_PROTO_I32 = 5
} mw_proto_type;

typedef struct mw_proto_field {
    uint32_t number;
    mw_proto_type type;
    uint64_t value; /* of a number, its bits */
    mw_proto bytes; /* of bytes, texts, messages and packed numbers */
} mw_proto_field;

/* The next field; false at the end and where the message is malformed. */
bool mw_proto_next(mw_proto *wire, mw_proto_field *field);

/* The next number of a packed field; false as above. */
bool mw_proto_number(mw_proto *wire, mw_proto_type type, uint64_t *value);

/* The numbers of a repeated field, packed or one by one: a wire over them
 * (one number is read from `field` itself) and their type. */
typedef struct mw_proto_numbers {
    mw_proto wire;
    mw_proto_type type;
    bool single;
    uint64_t value;
} mw_proto_numbers;

/* type: of one number of the field, when it is packed. */
mw_proto_numbers mw_proto_numbers_of(const mw_proto_field *field,
                                     mw_proto_type type);
bool mw_proto_numbers_next(mw_proto_numbers *numbers, uint64_t *value);

int64_t mw_proto_length(const mw_proto *wire);

#endif
