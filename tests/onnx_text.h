/*
 * onnx_text.h - ONNX files from lines of text, for tables of hazards:
 *
 *     ir 8                              opset 17
 *     input x float B,4                 symbols or numbers; "-" for a scalar
 *     weight w float 4,4 0.5            raw values, all the same
 *     weight w float 4,6 ~3             random, from the seed 3
 *     weight w float 6,4 ~3t            the transpose of those
 *     extern w float 4,4 w.bin 0 64     location, offset, length (-: left out)
 *     info h float B,4                  a declared value
 *     node Softmax x -> y axis=-1 alpha:0.5 perm=[1,0] mode='edge'
 *     node @com.acme::Thing x,_ -> y    "_" is left out
 *     output y                          or: output y float B,4
 *     function com.acme::Thing          defined in the file, without nodes
 */
#ifndef MW_TESTS_ONNX_TEXT_H
#define MW_TESTS_ONNX_TEXT_H

#include "base/text.h"

/* Bytes of the model, appended. What the text does not say stays out of the
 * file. */
void onnx_text(mw_text *bytes, const char *lines);

/* Writes it; false when that fails. */
bool onnx_text_file(const char *path, const char *lines);

#endif
