// What is wrong with protobuf bytes, in the reference's words. The caller says which kind was expected and answers 400.

export class ProtobufError extends Error {
  override readonly name = 'ProtobufError'
}

/** The input ends inside of something. */
export function unexpectedEnd(): ProtobufError {
  return new ProtobufError('unexpected EOF')
}
