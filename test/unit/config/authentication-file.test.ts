import { describe, expect, it } from 'vitest'
import type { Value } from '../../../src/api/value.ts'
import { readAuthenticationConfig } from '../../../src/config/authentication-file.ts'

const issuer = { url: 'https://issuer.example', audiences: ['me'] }
const username = { claim: 'sub', prefix: '' }
const entry = (more: object = {}): Value => ({ issuer, claimMappings: { username }, ...more })
const config = (jwt: readonly Value[], more: object = {}): Value => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt,
  ...more,
})
const mapped = (mappings: object): Value => config([entry({ claimMappings: { username, ...mappings } })])

function faults(document: Value): string {
  try {
    readAuthenticationConfig(document, ['https://own.example'])
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

describe('the configuration of authentication', () => {
  it('is read (P-065)', () => {
    const reading = readAuthenticationConfig(
      config([entry()], { anonymous: { enabled: true, conditions: [{ path: '/livez' }] } }),
      [],
    )
    expect(reading).toMatchObject({
      issuers: [{ rules: { issuer: issuer.url } }],
      anonymous: { enabled: true, paths: ['/livez'] },
    })
  })

  it.each<readonly [string, Value, string]>([
    ['another kind', { kind: 'Pod' }, 'must be an AuthenticationConfiguration'],
    ['a misspelt word', config([entry({ claimMapings: {} })]), 'unknown field "jwt[0].claimMapings"'],
    ['a misspelt word below', config([entry({ issuer: { ...issuer, ur: 'x' } })]), 'unknown field "jwt[0].issuer.ur"'],
    [
      'too many issuers',
      config(Array.from({ length: 65 }, (_, i) => entry({ issuer: { ...issuer, url: `https://i${i}` } }))),
      'at most 64',
    ],
    ['no URL', config([entry({ issuer: { audiences: ['me'] } })]), 'jwt[0].issuer.url: Required value'],
    ['a URL without TLS', config([entry({ issuer: { ...issuer, url: 'http://x' } })]), 'URL scheme must be https'],
    [
      'a URL with a user',
      config([entry({ issuer: { ...issuer, url: 'https://u:p@x' } })]),
      'must not contain a username',
    ],
    ['a URL with a query', config([entry({ issuer: { ...issuer, url: 'https://x?a' } })]), 'must not contain a query'],
    ['our own issuer', config([entry({ issuer: { ...issuer, url: 'https://own.example' } })]), 'must not overlap'],
    ['an issuer twice', config([entry(), entry()]), 'Duplicate value'],
    [
      'discovery at the issuer itself',
      config([entry({ issuer: { ...issuer, discoveryURL: issuer.url } })]),
      'must be different',
    ],
    [
      'no audience',
      config([entry({ issuer: { url: issuer.url } })]),
      'at least one jwt[].issuer.audiences is required',
    ],
    [
      'two audiences without a policy',
      config([entry({ issuer: { ...issuer, audiences: ['a', 'b'] } })]),
      'audienceMatchPolicy must be MatchAny',
    ],
    ['no user name', config([entry({ claimMappings: {} })]), 'claim or expression is required'],
    ['a claim without a prefix', mapped({ username: { claim: 'sub' } }), 'prefix is required when claim is set'],
    [
      'an expression with a prefix',
      mapped({ username: { expression: 'claims.sub', prefix: '' } }),
      "prefix can't be set",
    ],
    [
      'a claim and an expression',
      mapped({ username: { claim: 'a', prefix: '', expression: 'claims.a' } }),
      "can't both be set",
    ],
    ['an expression that is none', mapped({ username: { expression: 'claims.' } }), 'compilation failed'],
    ['an expression of another type', mapped({ username: { expression: '1 + 1' } }), 'must evaluate to a string'],
    [
      'an address that nobody checks',
      mapped({ username: { expression: 'claims.email' } }),
      'claims.email_verified must be used',
    ],
    ['extra without a domain', mapped({ extra: [{ key: 'x', valueExpression: 'claims.x' }] }), 'domain-prefixed path'],
    ['extra of ours', mapped({ extra: [{ key: 'a.k8s.io/x', valueExpression: 'claims.x' }] }), 'reserved'],
    [
      'extra twice',
      mapped({ extra: [1, 2].map(() => ({ key: 'a.b/x', valueExpression: 'claims.x' })) }),
      'Duplicate value',
    ],
    [
      'a rule of two kinds',
      config([entry({ claimValidationRules: [{ claim: 'a', expression: 'true' }] })]),
      'exactly one of claim and expression',
    ],
    [
      'conditions for nobody',
      config([], { anonymous: { enabled: false, conditions: [{ path: '/x' }] } }),
      'enabled should be set to true',
    ],
  ])('cannot have %s (P-065 to P-067)', (_name, document, fault) => {
    expect(faults(document)).toContain(fault)
  })

  it('takes an address that somebody checks (P-067)', () => {
    expect(faults(mapped({ username: { expression: "claims.email_verified ? claims.email : ''" } }))).toBe('none')
    const rule = { expression: 'claims.email_verified == true' }
    expect(
      faults(
        config([entry({ claimMappings: { username: { expression: 'claims.email' } }, claimValidationRules: [rule] })]),
      ),
    ).toBe('none')
  })
})
