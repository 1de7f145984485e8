import { describe, expect, it } from 'vitest'
import {
  type Access,
  allowAll,
  allowMasters,
  allowPublicPaths,
  chain,
  denyAll,
  withNamedReasons,
} from '../../../src/auth/authorizer.ts'

const { signal } = new AbortController()

function path(verb: string, path: string, groups: readonly string[]): Access {
  return { kind: 'path', verb, path, user: { name: 'u', uid: undefined, groups, extra: {} } }
}

const known = ['system:authenticated']
const stranger = ['system:unauthenticated']

describe('who decides', () => {
  it('administrators come before everything that would refuse them (P-110, P-112)', async () => {
    const authorizer = chain([allowMasters(), denyAll()])
    expect(await authorizer.authorize(path('get', '/x', ['system:masters']), signal)).toEqual({ kind: 'allow' })
    expect(await authorizer.authorize(path('get', '/x', known), signal)).toEqual({
      kind: 'no-opinion',
      reason: 'Everything is forbidden.',
    })
  })

  it('the first with an opinion ends it (P-111)', async () => {
    const refuse = { authorize: () => ({ kind: 'deny', reason: 'no' }) as const }
    expect(await chain([allowAll(), refuse]).authorize(path('get', '/x', []), signal)).toEqual({ kind: 'allow' })
    expect(await chain([refuse, allowAll()]).authorize(path('get', '/x', []), signal)).toEqual({
      kind: 'deny',
      reason: 'no',
    })
    expect(await chain([]).authorize(path('get', '/x', []), signal)).toEqual({ kind: 'no-opinion' })
  })

  it('what those without an opinion say is told together, and nothing where they say nothing', async () => {
    const unsure = (said: object) => ({ authorize: () => ({ kind: 'no-opinion', ...said }) as const })
    const told = chain([unsure({ reason: 'a', problem: 'down' }), unsure({}), unsure({ reason: 'b' })])
    const joined = { kind: 'no-opinion', reason: 'a\nb', problem: 'down' }
    expect(await told.authorize(path('get', '/x', []), signal)).toEqual(joined)
    const silent = await chain([unsure({}), unsure({})]).authorize(path('get', '/x', []), signal)
    expect(silent).toStrictEqual({ kind: 'no-opinion' })
  })

  it('a reason that decides nothing can name its authorizer', async () => {
    const refusing = { authorize: () => ({ kind: 'deny', reason: 'no' }) as const }
    const asked = path('get', '/x', known)
    expect(await withNamedReasons(denyAll(), 'b').authorize(asked, signal)).toEqual({
      kind: 'no-opinion',
      reason: 'b: Everything is forbidden.',
    })
    expect(await withNamedReasons(refusing, 'b').authorize(asked, signal)).toEqual({ kind: 'deny', reason: 'no' })
    expect(await withNamedReasons(allowPublicPaths(), 'b').authorize(asked, signal)).toEqual({ kind: 'no-opinion' })
  })

  it.each([
    ['get', '/livez', stranger, 'allow'],
    ['head', '/livez', stranger, 'no-opinion'],
    ['get', '/version/', stranger, 'allow'],
    ['get', '/livez/ping', known, 'no-opinion'],
    ['get', '/api', stranger, 'no-opinion'],
    ['get', '/api', known, 'allow'],
    ['get', '/apis/apps/v1', known, 'allow'],
    ['get', '/openapi/v3/apis/apps/v1', known, 'allow'],
    ['get', '/apix', known, 'no-opinion'],
    ['get', '/metrics', known, 'no-opinion'],
    ['get', '/', known, 'no-opinion'],
    ['get', '/livez', [], 'no-opinion'],
  ] as const)('%s %s for %o: %s (P-147, P-247)', async (verb, where, groups, kind) => {
    expect(await allowPublicPaths().authorize(path(verb, where, groups), signal)).toEqual({ kind })
  })
})
