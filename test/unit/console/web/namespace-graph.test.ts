import { describe, expect, it } from 'vitest'
import type { Kind } from '../../../../src/console/web/kind.ts'
import { graphOf, type GraphObject, MOST_DRAWN } from '../../../../src/console/web/namespace-graph.ts'

function kindNamed(kind: string, plural: string, group = ''): Kind {
  return { group, version: 'v1', plural, kind, namespaced: true, verbs: ['list'], shortNames: [], subresources: [] }
}

const POD = kindNamed('Pod', 'pods')
const SET = kindNamed('ReplicaSet', 'replicasets', 'apps')
const SERVICE = kindNamed('Service', 'services')
const BUDGET = kindNamed('PodDisruptionBudget', 'poddisruptionbudgets', 'policy')
const MAP = kindNamed('ConfigMap', 'configmaps')
const SECRET = kindNamed('Secret', 'secrets')
const KINDS = [POD, SET, SERVICE, BUDGET, MAP, SECRET]

function made(kind: Kind, name: string, spec: object = {}, metadata: object = {}): GraphObject {
  return { kind, object: { metadata: { name, uid: `${kind.plural}-${name}`, ...metadata }, spec } }
}

function owned(...names: readonly string[]): object {
  return { ownerReferences: names.map((name) => ({ uid: `replicasets-${name}` })) }
}

function edgesIn(objects: readonly GraphObject[], complete: readonly string[] = []): readonly string[] {
  return graphOf(objects, KINDS, complete).edges.map(({ from, relation, to }) => `${from.name} ${relation} ${to.name}`)
}

describe('the edges of a graph', () => {
  it.each([
    ['in', { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] }, ['web']],
    ['not in', { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['web'] }] }, ['cart', 'bare']],
    ['existing', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, ['web', 'cart']],
    ['absent', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, ['bare']],
    [
      'labels and expressions',
      { matchLabels: { app: 'web' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
      ['web'],
    ],
    ['everything', {}, ['web', 'cart', 'bare']],
    ['an unknown operator', { matchExpressions: [{ key: 'app', operator: 'Like' }] }, []],
  ])('lead from a budget to the pods that it selects: %s', (_, selector, expected) => {
    const pods = [
      made(POD, 'web', {}, { labels: { app: 'web' } }),
      made(POD, 'cart', {}, { labels: { app: 'cart' } }),
      made(POD, 'bare'),
    ]
    expect(edgesIn([...pods, made(BUDGET, 'b', { selector })])).toEqual(expected.map((name) => `b selects ${name}`))
  })

  it('do not lead from a service without a selector', () => {
    const pod = made(POD, 'web', {}, { labels: { app: 'web' } })
    expect(edgesIn([pod, made(SERVICE, 's'), made(SERVICE, 't', { selector: {} })])).toEqual([])
    expect(edgesIn([pod, made(SERVICE, 's', { selector: { app: 'web' } })])).toEqual(['s selects web'])
  })

  it('lead to references once: from the template, and not from the pods that are made of it', () => {
    const spec = {
      volumes: [{ configMap: { name: 'settings' } }],
      containers: [{ envFrom: [{ secretRef: { name: 'key' } }] }],
    }
    const set = made(SET, 'set', { template: { spec } })
    expect(edgesIn([set, made(POD, 'one', spec, owned('set')), made(POD, 'two', spec)])).toEqual([
      'set uses settings',
      'set uses key',
      'set owns one',
      'two uses settings',
      'two uses key',
    ])
  })

  it('lead to objects that are missing, where all objects of the kind were read', () => {
    const spec = { volumes: [{ configMap: { name: 'a' } }, { secret: { secretName: 'b' } }] }
    const { nodes } = graphOf([made(POD, 'pod', spec)], KINDS, ['configmaps'])
    expect(nodes.map(({ name, health }) => [name, health.text])).toEqual([
      ['pod', 'Pending'],
      ['a', 'missing'],
      ['b', 'not read'],
    ])
  })
})

describe('a large graph', () => {
  const pods = (count: number, owner?: string): readonly GraphObject[] =>
    Array.from({ length: count }, (_, i) =>
      made(POD, `${owner ?? 'pod'}-${i}`, {}, { labels: { app: 'web' }, ...(owner === undefined ? {} : owned(owner)) }),
    )

  it('has the pods of an owner as one node, with the health of the worst, and one edge for all', () => {
    const [first, ...others] = pods(200, 'set')
    const failed = { kind: POD, object: { ...first!.object, status: { phase: 'Failed' } } }
    const objects = [made(SET, 'set'), failed, ...others, made(SERVICE, 's', { selector: { app: 'web' } })]
    const { nodes, edges, isGrouped, loose, left } = graphOf(objects, KINDS, [])
    expect([isGrouped, left, loose]).toEqual([true, 0, []])
    expect(nodes.map(({ name, pods: count, health }) => [name, count, health.tone])).toContainEqual(['set', 200, 'bad'])
    expect(edges.map(({ from, relation, to }) => [from.name, relation, to.pods])).toEqual([
      ['set', 'owns', 200],
      ['s', 'selects', 200],
    ])
  })

  it('says how many nodes are left out', () => {
    const { nodes, edges, left } = graphOf([made(SERVICE, 's', { selector: { app: 'web' } }), ...pods(400)], KINDS, [])
    expect([nodes.length, edges.length, left]).toEqual([MOST_DRAWN, MOST_DRAWN - 1, 401 - MOST_DRAWN])
  })
})
