// Covers W-239, W-275, W-284.
import { configMap, inside, make, merge, workload } from '../lib.mjs'

/** Who manages, in the order of the answer, with the year of a time that the client sent. */
const owners = {
  pick: (body) =>
    (body.metadata?.managedFields ?? []).map(({ operation, manager, time = '', apiVersion, subresource = '' }) =>
      [operation, manager, time < '2022' ? time.slice(0, 4) : 'now', apiVersion, subresource].join(' '),
    ),
}

const owner = (manager, operation, time, fieldsV1, more) => ({
  manager,
  operation,
  apiVersion: 'v1',
  ...(time && { time }),
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...more,
})

export default {
  title: 'the order of managed fields that a client sends, the folding of the oldest, and claims under versions that a kind does not have',
  async run(t) {
    const ns = await t.namespace()
    const maps = inside(ns, 'configmaps')
    const keys = [...'abcdefghijklm']
    const sent = (name, managedFields) => {
      const map = configMap(name, undefined, Object.fromEntries(keys.map((key) => [key, '1'])))
      return { ...map, metadata: { ...map.metadata, managedFields } }
    }
    const of = (key) => ({ 'f:data': { [`f:${key}`]: {} } })
    await make(t, maps, sent('a'))
    // No time counts as 1970; times are compared as moments, names by their bytes.
    const all = [
      owner('z', 'Update', undefined, of('a')),
      owner('y', 'Update', '1960-01-01T00:00:00Z', of('b')),
      owner('x', 'Update', '2020-01-01T02:00:00+02:00', of('c')),
      owner('w', 'Update', '2020-01-01T00:00:00Z', of('d')),
      owner('v', 'Update', '2020-01-01T01:30:00+02:00', of('e')),
      owner('u', 'Apply', '2021-01-01T00:00:00Z', of('f')),
      owner('t', 'Apply', undefined, of('g')),
      owner('w', 'Update', '2020-01-01T00:00:00Z', of('h'), { subresource: 'status' }),
      owner('\u{1f600}', 'Update', '2020-01-01T00:00:00Z', of('i')),
      owner('\uff5e', 'Update', '2020-01-01T00:00:00Z', of('j')),
      owner('q', 'Update', '1970-01-01T00:00:00Z', of('k')),
    ]
    await t.put(`${maps}/a?fieldManager=me`, sent('a', all), owners)
    // Too many updaters: the oldest two become one.
    await t.patch(`${maps}/a?fieldManager=me`, { data: { l: '2' } }, merge, owners)
    await t.patch(`${maps}/a?fieldManager=you`, { data: { m: '2' } }, merge, owners)
    // Only the claim under a version that the kind does not have is given up, and all where it is no version at all.
    for (const apiVersion of ['v0', 'example.com/v1', 'apps/v1', 'a/b/c']) {
      const claims = [owner('old', 'Apply', undefined, of('a'), { apiVersion }), owner('new', 'Update', undefined, of('b'))]
      await t.put(`${maps}/a?fieldManager=me`, sent('a', claims), owners)
    }
    await t.post(`${maps}?fieldManager=me`, sent('b', [owner('old', 'Apply', undefined, of('a'), { apiVersion: 'v0' })]), owners)
    const deployments = inside(ns, 'deployments', 'apps/v1')
    const deployment = workload('apps/v1', 'Deployment', 'd', { replicas: 1 })
    await make(t, deployments, deployment)
    for (const apiVersion of ['apps/v1beta2', 'extensions/v1beta1', 'apps/v9']) {
      const claims = [
        owner('old', 'Apply', undefined, { 'f:spec': { 'f:replicas': {} } }, { apiVersion }),
        owner('new', 'Update', undefined, { 'f:spec': { 'f:selector': {} } }, { apiVersion: 'apps/v1' }),
      ]
      await t.put(`${deployments}/d?fieldManager=me`, { ...deployment, metadata: { ...deployment.metadata, managedFields: claims } }, owners)
    }
  },
}
