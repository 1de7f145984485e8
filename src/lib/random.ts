// Random numbers as a dependency: unpredictable, or the same in every run.
import { hash, randomInt, randomUUID } from 'node:crypto'

export interface Random {
  /** A UUID of version 4. */
  uuid(): string
  /** A whole number from 0 to `limit - 1`; the limit is at most 2 to the power of 47. */
  below(limit: number): number
}

export const systemRandom: Random = { uuid: randomUUID, below: (limit) => randomInt(limit) }

/** The same numbers for the same seed and purpose. Draws for one purpose do not change another. Do not use them for secrets. */
export function seededRandom(seed: string, purpose: string): Random {
  let drawn = 0
  const draw = (): string => hash('sha256', JSON.stringify([seed, purpose, drawn++]))
  return {
    uuid() {
      const hex = draw()
      const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
    },
    below: (limit) => Number.parseInt(draw().slice(0, 12), 16) % limit,
  }
}

const SUFFIX_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'
const SUFFIX_LENGTH = 5

/** The characters at the end of generated names: no vowels, and no character that looks like another. */
export function nameSuffix(random: Random): string {
  let suffix = ''
  while (suffix.length < SUFFIX_LENGTH) suffix += SUFFIX_ALPHABET[random.below(SUFFIX_ALPHABET.length)]
  return suffix
}
