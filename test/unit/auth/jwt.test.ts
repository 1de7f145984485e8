import { constants, generateKeyPairSync, sign, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isSignedBy, parseJwt, signJwt } from '../../../src/auth/jwt.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const PKCS1 = { padding: constants.RSA_PKCS1_PADDING }

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

describe.each([
  ['RS256', PKCS1, PSS],
  ['PS256', PSS, PKCS1],
])('a token that is signed by %s', (alg, its, others) => {
  it('is good with the padding of this algorithm, and with no other', () => {
    const signed = `${encode({ alg })}.${encode({ sub: 'jane' })}`
    const isGood = (padding: object): boolean => {
      const signature = sign('sha256', Buffer.from(signed), { key: privateKey, ...padding })
      return isSignedBy(parseJwt(`${signed}.${signature.toString('base64url')}`)!, publicKey)
    }
    expect([isGood(its), isGood(others)]).toEqual([true, false])
  })

  it('by us has this padding', () => {
    const { signed, signature } = parseJwt(signJwt({ key: privateKey, id: 'k', algorithm: alg }, { sub: 'jane' }))!
    expect(verify('sha256', Buffer.from(signed), { key: publicKey, ...its }, signature)).toBe(true)
  })
})
