import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeContinue, encodeContinue } from '../../../src/api/continue-token.ts'

const texts = (text: string): string => Buffer.from(text).toString('base64url')
const made = (content: unknown): string => texts(JSON.stringify(content))
const WRONG = ': json: cannot unmarshal'
const INTO = 'into Go struct field continueToken'

describe('continue tokens (R-120, R-122, R-126)', () => {
  it('have the form of the reference', () => {
    const token = encodeContinue({ revision: 42, start: 'ns/cm1\0' })
    expect(token).not.toContain('=')
    expect(Buffer.from(token, 'base64url').toString()).toBe('{"v":"meta.k8s.io/v1","rv":42,"start":"ns/cm1\\u0000"}')
  })

  it.each<[string, unknown, { revision: number | undefined; start: string }]>([
    ['one of ours', { v: 'meta.k8s.io/v1', rv: 5, start: 'a\0' }, { revision: 5, start: 'a\0' }],
    ['the other brand', { v: 'meta.svc.io/v1', rv: 5, start: 'a\0' }, { revision: 5, start: 'a\0' }],
    ['a leading slash', { v: 'meta.k8s.io/v1', rv: 5, start: '/ns/a\0' }, { revision: 5, start: 'ns/a\0' }],
    ['the newest', { v: 'meta.k8s.io/v1', rv: -1, start: 'a\0' }, { revision: undefined, start: 'a\0' }],
    ['any negative version', { v: 'meta.k8s.io/v1', rv: -7, start: 'a\0' }, { revision: undefined, start: 'a\0' }],
  ])('are read: %s', (_name, content, position) => {
    expect(decodeContinue(made(content))).toEqual(position)
  })

  it.each<[string, string, string]>([
    ['no base64', '!!!', ': illegal base64 data at input byte 0'],
    ['padding', `${made({ v: 'meta.k8s.io/v1', rv: 5, start: 'ab\0' })}=`, ': illegal base64 data at input byte 64'],
    ['a single last character', 'abcde', ': illegal base64 data at input byte 4'],
    ['no JSON', texts('xy'), ": invalid character 'x' looking for beginning of value"],
    ['a word that is none', texts('test'), ": invalid character 'e' in literal true (expecting 'r')"],
    ['bytes that are no text', 'invalid', String.raw`: invalid character '\u008a' looking for beginning of value`],
    ['half an object', texts('{"v":'), ': unexpected end of JSON input'],
    ['a list', made([]), ': json: cannot unmarshal array into Go value of type storage.continueToken'],
    ['null', made(null), ': server does not recognize this encoded version '],
    ['an empty object', made({}), ': server does not recognize this encoded version '],
    [
      'another version',
      made({ v: 'x/v7', rv: 1, start: 'a' }),
      ': server does not recognize this encoded version x/v7',
    ],
    [
      'no revision',
      made({ v: 'meta.k8s.io/v1', start: 'a' }),
      ': incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    ['no start', made({ v: 'meta.k8s.io/v1', rv: 1 }), ': encoded start key empty (version meta.k8s.io/v1)'],
    ['a way out', made({ v: 'meta.k8s.io/v1', rv: 1, start: '../x' }), ': ../x'],
    ['a way out inside', made({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/../../x' }), ': a/../../x'],
    ['an empty segment', made({ v: 'meta.k8s.io/v1', rv: 1, start: 'a//b' }), ': a//b'],
    ['a slash at the end', made({ v: 'meta.k8s.io/v1', rv: 1, start: 'a/' }), ': a/'],
    ['a slash alone', made({ v: 'meta.k8s.io/v1', rv: 1, start: '/' }), ': /'],
    [
      'a revision as text',
      made({ v: 'meta.k8s.io/v1', rv: '1', start: 'a' }),
      `${WRONG} string ${INTO}.rv of type int64`,
    ],
    [
      'a broken revision',
      made({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a' }),
      `${WRONG} number 1.5 ${INTO}.rv of type int64`,
    ],
    ['a version as a number', made({ v: 1, rv: 1, start: 'a' }), `${WRONG} number ${INTO}.v of type string`],
    [
      'a start as a flag',
      made({ v: 'meta.k8s.io/v1', rv: 1, start: true }),
      `${WRONG} bool ${INTO}.start of type string`,
    ],
  ])('are refused: %s', (_name, token, detail) => {
    expect(() => decodeContinue(token)).toThrow(
      expect.objectContaining({
        message: `invalid continue token: continue key is not valid${detail}`,
        reason: 'BadRequest',
      }),
    )
  })

  it('survive the way through a client', () => {
    const segment = fc.stringMatching(/^[a-zé-][a-z.é\0-]{0,6}$/)
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1 }), (segments, revision) => {
        const position = { revision, start: `${segments.join('/')}\0` }
        expect(decodeContinue(encodeContinue(position))).toEqual(position)
      }),
    )
  })

  it('of any content give a position or a 400', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(made), fc.string().map(made)), (token) => {
        try {
          expect(decodeContinue(token).start).not.toBe('')
        } catch (error) {
          expect(error).toMatchObject({ reason: 'BadRequest' })
        }
      }),
    )
  })
})
