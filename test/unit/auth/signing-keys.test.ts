import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseJwt, signJwt } from '../../../src/auth/jwt.ts'
import { isSignedByOneOf, readSigningKeys, type SigningKeys } from '../../../src/auth/signing-keys.ts'

function made(): SigningKeys {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return readSigningKeys(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, [])
}

const [one, other, stranger] = [made(), made(), made()]
const known = [...one.verification, ...other.verification]

function isGood(keys: SigningKeys, id = keys.signing!.id): boolean {
  return isSignedByOneOf(known, parseJwt(signJwt({ ...keys.signing!, id }, { sub: 'a' }))!)
}

describe('a token is good', () => {
  it.each([
    ['that a known key signed and it names', true, () => isGood(other)],
    ['that a known key signed, though it names none that is known', true, () => isGood(other, 'nobody')],
    ['not where it names another key than signed it', false, () => isGood(other, one.signing!.id)],
    ['not where a stranger signed it', false, () => isGood(stranger)],
    ['not where a stranger signed it by a known name', false, () => isGood(stranger, one.signing!.id)],
  ])('%s', (_name, expected, judge) => {
    expect(judge()).toBe(expected)
  })
})
