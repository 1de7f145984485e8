// FNV-1a of 64 bits, the checksum of bbolt's meta pages.

const OFFSET_BASIS = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

export function fnv64a(bytes: Uint8Array): bigint {
  let hash = OFFSET_BASIS
  for (const byte of bytes) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * PRIME)
  return hash
}
