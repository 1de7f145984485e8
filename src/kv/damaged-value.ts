// A mark in place of a value that an engine has lost: the key exists, and its record is missing or fails its checksum. The mark consists of
// bytes, like any value, so it reaches the decoder of values, also through etcd's API. The decoder reports it with its key. One damaged
// record does not keep clients from reading the others.

/** No stored value begins with this text. */
const MARK = Buffer.from('quarterdeck damaged value: ')

export function damagedValue(problem: string): Buffer {
  return Buffer.concat([MARK, Buffer.from(problem)])
}

/** The reason why the value is lost. Undefined: the value is not lost. */
export function damageOf(value: Buffer): string | undefined {
  if (value[0] !== MARK[0] || value.length < MARK.length || !value.subarray(0, MARK.length).equals(MARK))
    return undefined
  return value.toString('utf8', MARK.length)
}
