/* protobuf.c - walks protobuf messages field by field. */
#include "ir/import/protobuf.h"

static bool fail(mw_proto *wire)
{
    wire->bad = true;
    wire->pos = wire->end;
    return false;
}

int64_t mw_proto_length(const mw_proto *wire)
{
    return (int64_t)(wire->end - wire->pos);
}

static bool read_varint(mw_proto *wire, uint64_t *value)
{
    uint64_t sum = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (wire->pos == wire->end)
            return fail(wire);
        uint8_t byte = *wire->pos++;
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            *value = sum;
            return true;
        }
    }
    return fail(wire);
}

static bool read_fixed(mw_proto *wire, int n_bytes, uint64_t *value)
{
    if (mw_proto_length(wire) < n_bytes)
        return fail(wire);
    uint64_t sum = 0;
    for (int i = 0; i < n_bytes; i++)
        sum |= (uint64_t)wire->pos[i] << (8 * i);
    wire->pos += n_bytes;
    *value = sum;
    return true;
}

bool mw_proto_number(mw_proto *wire, mw_proto_type type, uint64_t *value)
{
    if (wire->pos == wire->end)
        return false;
    if (type == MW_PROTO_VARINT)
        return read_varint(wire, value);
    return read_fixed(wire, type == MW_PROTO_I64 ? 8 : 4, value);
}

bool mw_proto_next(mw_proto *wire, mw_proto_field *field)
{
    if (wire->pos == wire->end)
        return false;
    uint64_t key, length;
    if (!read_varint(wire, &key) || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return fail(wire);
    *field = (mw_proto_field){.number = (uint32_t)(key >> 3),
                              .type = (mw_proto_type)(key & 7)};
    switch (field->type) {
    case MW_PROTO_VARINT:
        return read_varint(wire, &field->value);
    case MW_PROTO_I64:
        return read_fixed(wire, 8, &field->value);
    case MW_PROTO_I32:
        return read_fixed(wire, 4, &field->value);
    case MW_PROTO_BYTES:
        if (!read_varint(wire, &length) ||
            length > (uint64_t)mw_proto_length(wire))
            return fail(wire);
        field->bytes.pos = wire->pos;
        wire->pos += length;
        field->bytes.end = wire->pos;
        return true;
    }
    return fail(wire);
}

mw_proto_numbers mw_proto_numbers_of(const mw_proto_field *field,
                                     mw_proto_type type)
{
    bool single = field->type != MW_PROTO_BYTES;
    mw_proto_numbers numbers = {.wire = field->bytes,
                                .type = type,
                                .single = single,
                                .value = field->value};
    numbers.wire.bad = single && field->type != type;
    return numbers;
}

bool mw_proto_numbers_next(mw_proto_numbers *numbers, uint64_t *value)
{
    if (!numbers->single)
        return mw_proto_number(&numbers->wire, numbers->type, value);
    if (numbers->wire.bad)
        return false;
    /* one number: the second call finds nothing */
    numbers->single = false;
    numbers->wire = (mw_proto){0};
    *value = numbers->value;
    return true;
}
