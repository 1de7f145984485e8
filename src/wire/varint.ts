// Whole numbers of protobuf: seven bits in each byte, the lowest first.

/** The number of bytes that a number from 0 to 2^53 takes. */
export function varintSize(value: number): number {
  if (value < 0x80) return 1
  if (value < 0x4000) return 2
  if (value < 0x200000) return 3
  let size = 4
  for (let rest = value / 0x200000; rest >= 0x80; rest /= 0x80) size++
  return size
}

/** Writes a number from 0 to 2^53. Returns the offset after it. */
export function putVarint(target: Buffer, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 0x80)) target[at++] = (rest % 0x80) | 0x80
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80
  target[at] = rest
  return at + 1
}
