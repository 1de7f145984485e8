// Writes as much of DER, the binary form of certificates, as our certificates need.

export type Der = Buffer

export function sequence(...parts: readonly Der[]): Der {
  return tagged(0x30, ...parts)
}

export function set(...parts: readonly Der[]): Der {
  return tagged(0x31, ...parts)
}

/** `[n]`, around whole elements. */
export function explicit(number: number, ...parts: readonly Der[]): Der {
  return tagged(0xa0 | number, ...parts)
}

/** `[n]`, which replaces an element's own tag. */
export function implicit(number: number, content: Buffer): Der {
  return tagged(0x80 | number, content)
}

/** A number that is not negative, from its bytes. */
export function integer(bytes: Buffer): Der {
  return tagged(0x02, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes)
}

export function boolean(value: boolean): Der {
  return tagged(0x01, Buffer.of(value ? 0xff : 0))
}

export function octetString(content: Buffer): Der {
  return tagged(0x04, content)
}

/** `unusedBits`: the number of unused bits at the end of the last byte. */
export function bitString(content: Buffer, unusedBits = 0): Der {
  return tagged(0x03, Buffer.of(unusedBits), content)
}

export function utf8String(text: string): Der {
  return tagged(0x0c, Buffer.from(text))
}

/** Years before 2050 are written with two digits, as the standard asks. */
export function time(date: Date): Der {
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '')
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text))
}

/** `1.2.840.10045.4.3.2`. */
export function objectId(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(number: number): number[] {
  const digits = [number % 128]
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) digits.unshift((left % 128) | 0x80)
  return digits
}

function tagged(tag: number, ...parts: readonly Buffer[]): Der {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256)
  return [0x80 | bytes.length, ...bytes]
}
