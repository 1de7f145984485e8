// Bytes that are kept for long, in memory of their own: a small buffer is mostly a piece of a larger one, and keeps all of it.

export function ownBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
