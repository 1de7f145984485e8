import { describe, expect, it } from 'vitest'
import {
  actionsFor,
  type AnyObject,
  kubectlCommand,
  labelsIn,
  type WriteAction,
} from '../../../../src/console/web/actions.ts'
import type { Kind } from '../../../../src/console/web/kind.ts'
import { changesBetween } from '../../../../src/console/web/object-changes.ts'

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

function kindOf(group: string, plural: string, kind: string, more: Partial<Kind> = {}): Kind {
  const rest = { version: 'v1', namespaced: true, verbs: VERBS, shortNames: [], subresources: ['status'] }
  return { group, plural, kind, ...rest, ...more }
}

const DEPLOYMENTS = kindOf('apps', 'deployments', 'Deployment', { subresources: ['scale', 'status'] })
const CRON_JOBS = kindOf('batch', 'cronjobs', 'CronJob')

function objectOf(kind: string, spec: object): AnyObject {
  return { apiVersion: 'v1', kind, metadata: { namespace: 'shop', name: 'web', uid: 'u1' }, spec }
}

const titles = (kind: Kind, object?: AnyObject): readonly string[] =>
  actionsFor(kind, object)
    .filter(({ writes }) => writes)
    .map(({ title }) => title)

function requestOf(kind: Kind, id: string, object: AnyObject, input = ''): unknown {
  const action = actionsFor(kind, object).find((one): one is WriteAction => one.id === id && one.writes)
  const named = { namespace: 'shop', name: 'web' }
  return action?.request({ kind, named, uid: 'u1' }, object, input, new Date('2030-01-02T03:04:05Z'))
}

describe('the actions for an object', () => {
  it.each([
    ['a config map', kindOf('', 'configmaps', 'ConfigMap'), {}, ['Label', 'Delete']],
    ['a deployment', DEPLOYMENTS, {}, ['Scale', 'Restart', 'Pause rollout', 'Label', 'Delete']],
    ['a paused one', DEPLOYMENTS, { paused: true }, ['Scale', 'Restart', 'Resume rollout', 'Label', 'Delete']],
    ['a cron job', CRON_JOBS, { suspend: false }, ['Suspend', 'Run now', 'Label', 'Delete']],
    ['a suspended job', kindOf('batch', 'jobs', 'Job'), { suspend: true }, ['Resume', 'Label', 'Delete']],
    [
      'a custom object with a scale',
      kindOf('a.example', 'fleets', 'Fleet', { subresources: ['scale'] }),
      {},
      ['Scale', 'Label', 'Delete'],
    ],
    ['an object that nobody can write', kindOf('', 'componentstatuses', 'X', { verbs: ['get', 'list'] }), {}, []],
  ])('%s', (_title, kind, spec, wanted) => expect(titles(kind, objectOf(kind.kind, spec))).toEqual(wanted))

  it('are fewer for several objects, whose states differ', () => {
    expect(titles(DEPLOYMENTS)).toEqual(['Scale', 'Restart', 'Label', 'Delete'])
    expect(actionsFor(DEPLOYMENTS).every(({ writes }) => writes)).toBe(true)
  })
})

describe('the request of an action', () => {
  const path = '/apis/apps/v1/namespaces/shop/deployments/web'

  it.each([
    ['scale', '3', `${path}/scale`, { metadata: { uid: 'u1' }, spec: { replicas: 3 } }],
    ['pause', '', path, { metadata: { uid: 'u1' }, spec: { paused: true } }],
    ['label', 'a=b c-', path, { metadata: { uid: 'u1', labels: { a: 'b', c: null } } }],
    [
      'restart',
      '',
      path,
      {
        metadata: { uid: 'u1' },
        spec: {
          template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': '2030-01-02T03:04:05.000Z' } } },
        },
      },
    ],
  ])('%s', (id, input, wanted, body) =>
    expect(requestOf(DEPLOYMENTS, id, objectOf('Deployment', {}), input)).toEqual({
      method: 'PATCH',
      path: wanted,
      body,
    }),
  )

  it('deletes only the object with this uid', () =>
    expect(requestOf(DEPLOYMENTS, 'delete', objectOf('Deployment', {}))).toEqual({
      method: 'DELETE',
      path,
      body: { preconditions: { uid: 'u1' } },
    }))

  it('makes a job from a cron job', () => {
    const jobTemplate = { metadata: { labels: { app: 'web' } }, spec: { template: {} } }
    expect(requestOf(CRON_JOBS, 'trigger', objectOf('CronJob', { jobTemplate }))).toMatchObject({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/shop/jobs',
      body: {
        kind: 'Job',
        metadata: { name: expect.stringMatching(/^web-manual-\w+$/), labels: { app: 'web' } },
        spec: { template: {} },
      },
    })
  })
})

it.each([
  ['a=b', { a: 'b' }],
  ['example.com/tier=web, old-', { 'example.com/tier': 'web', old: null }],
  ['a=', { a: '' }],
  ['__proto__=x', { ['__proto__']: 'x' }],
  ['', undefined],
  ['word', undefined],
  ['a=b=c', undefined],
  ['=b', undefined],
])('labels are written as for kubectl: %j', (text, wanted) => expect(labelsIn(text)).toEqual(wanted))

it('the command for kubectl is safe in a shell', () => {
  const named = { namespace: '', name: "a'; rm -rf $HOME" }
  expect(kubectlCommand({ kind: kindOf('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole'), named })).toBe(
    String.raw`kubectl get clusterroles.rbac.authorization.k8s.io 'a'\''; rm -rf $HOME' --output yaml`,
  )
})

it('changes are told field by field, without the fields that every write changes', () => {
  const before = { metadata: { labels: { 'a.b/c': 'x' }, resourceVersion: '1' }, spec: { ports: [1], replicas: 1 } }
  const after = { metadata: { labels: {}, resourceVersion: '2' }, spec: { ports: [1, 2], replicas: 1, paused: true } }
  expect(changesBetween(before, after)).toEqual([
    `metadata.labels['a.b/c']: "x" → none`,
    'spec.ports: [1] → [1,2]',
    'spec.paused: none → true',
  ])
})
