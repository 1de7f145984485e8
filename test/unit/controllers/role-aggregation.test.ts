import { expect, it } from 'vitest'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { roleAggregation } from '../../../src/controllers/role-aggregation.ts'
import { NOW, openWorld } from '../../rigs/api-world.ts'
import { systemClock } from '../../../src/lib/clock.ts'

const GROUP = 'rbac.authorization.k8s.io'

it('a role that gathers has the rules of those it selects, in the order of their names, each once (P-134, D17)', async () => {
  const world = await openWorld()
  const roles = world.resource('clusterroles', GROUP)
  const stop = new AbortController()
  const parts = {
    registry: world.parts,
    resources: () => world.resources,
    gates: new Set<string>(),
    clock: systemClock,
    now: () => NOW,
    log: SILENT_LOG,
  }
  const running = roleAggregation(parts).run(stop.signal)
  const rule = (verb: string): object => ({ verbs: [verb], apiGroups: [''], resources: ['pods'] })
  const cluster = { namespace: '' }
  const part = (name: string, into: string, ...verbs: readonly string[]): Promise<unknown> =>
    world.create(roles, { metadata: { name, labels: { into } }, rules: verbs.map(rule) }, cluster)
  const whole = (name: string, from: string, labels: object = {}): Promise<unknown> => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { into: from } }] }
    return world.create(roles, { metadata: { name, labels }, aggregationRule, rules: [rule('own')] }, cluster)
  }
  const verbs = async (name: string): Promise<unknown> =>
    ((await world.get(roles, name))['rules'] as { verbs: string[] }[] | undefined)?.map(({ verbs: [verb] }) => verb)

  await part('b', 'x', 'get', 'list')
  await whole('inner', 'x', { into: 'y' })
  await whole('outer', 'y')
  await part('a', 'x', 'watch', 'get')
  await part('z', 'other', 'never')
  await expect.poll(() => verbs('inner')).toEqual(['watch', 'get', 'list'])
  await expect.poll(() => verbs('outer')).toEqual(['watch', 'get', 'list'])
  const owners = (await world.get(roles, 'inner')).metadata['managedFields'] as { manager: string; operation: string }[]
  expect(owners.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
    'clusterrole-aggregation-controller Apply',
  )
  await whole('alone', 'nobody')
  await world.update(roles, 'a', (live) => ({ ...live, metadata: { ...live.metadata, labels: {} } }), cluster)
  await expect.poll(() => verbs('outer')).toEqual(['get', 'list'])
  // Where nothing is gathered nothing was applied, and the rules are those of its author.
  expect(await verbs('alone')).toEqual(['own'])
  stop.abort()
  await running
})
