// The error for malformed protobuf bytes, in the reference's words. The caller names the expected kind and answers 400.

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** The input ends inside of a value. */
export function unexpectedEnd(): ProtobufError {
  return new ProtobufError('unexpected EOF')
}
