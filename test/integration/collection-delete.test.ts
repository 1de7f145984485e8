// Deleting a collection: what happens to the others when one object cannot be deleted.
import { describe, expect, it } from 'vitest'
import { type OpenServer, openServer } from '../rigs/running-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic'
const COUNT = 200
const HELD = 'held-000'

/** Nobody may delete the first one. */
async function holdFirst(server: OpenServer): Promise<void> {
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }]
  const validations = [{ expression: `oldObject.metadata.name != "${HELD}"`, message: 'it is held' }]
  const spec = { matchConstraints: { resourceRules }, validations }
  await server.must(`${POLICIES}ies`, { method: 'POST', body: { metadata: { name: 'hold' }, spec } })
  const binding = { metadata: { name: 'hold' }, spec: { policyName: 'hold', validationActions: ['Deny'] } }
  await server.must(`${POLICIES}ybindings`, { method: 'POST', body: binding })
  await server.must(MAPS, { method: 'POST', body: { metadata: { name: HELD, labels: { set: 'all' } } } })
  await expect
    .poll(async () => (await server.request(`${MAPS}/${HELD}?dryRun=All`, { method: 'DELETE' })).body)
    .toContain('it is held')
}

async function left(server: OpenServer): Promise<number> {
  return ((await server.must(`${MAPS}?labelSelector=set%3Dall`))['items'] as readonly unknown[]).length
}

describe('DELETE of a collection', () => {
  it('answers the first fault when nothing of it is under way any more (W-341)', async () => {
    await using server = await openServer()
    await holdFirst(server)
    for (let i = 1; i < COUNT; i++) {
      const name = `held-${String(i).padStart(3, '0')}`
      await server.must(MAPS, { method: 'POST', body: { metadata: { name, labels: { set: 'all' } } } })
    }
    const answer = await server.request(`${MAPS}?labelSelector=set%3Dall`, { method: 'DELETE' })
    expect([answer.status, answer.body]).toEqual([422, expect.stringContaining('it is held')])
    const atOnce = await left(server)
    // Each of these is a turn for work that was left behind.
    for (let i = 0; i < COUNT; i++)
      await server.must(MAPS, { method: 'POST', body: { metadata: { generateName: 'x-' } } })
    expect(await left(server)).toBe(atOnce)
    // At most what was under way when the first one was refused.
    expect(atOnce).toBeGreaterThan(COUNT - 32)
  })
})
