// Short hashes of templates, for names and labels: 32 bits by FNV-1a, in the letters of generated names. The reference hashes the memory of
// its own program, so our values differ from its values.

const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'

/** The hash is the same for equal values, and differs for each number of collisions. */
export function templateHash(value: unknown, collisions = 0): string {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(JSON.stringify(value) + (collisions === 0 ? '' : `#${collisions}`))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  }
  return Array.from(String(hash), (digit) => LETTERS[digit.charCodeAt(0) % LETTERS.length]).join('')
}
