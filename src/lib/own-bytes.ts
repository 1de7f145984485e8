// A copy for bytes that are kept long: a small buffer is usually a view of a larger one, and keeps all of it in memory.

export function ownBytes(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  copy.set(bytes)
  return copy
}
