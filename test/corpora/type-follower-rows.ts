// Everything that follows the types that there are, each with how it shows that it has seen one come: what is prepared before the
// definition is there, and what is looked at once it is.
import { expect } from 'vitest'
import { DEFINITIONS, type DefinedKind, redefine } from './defined-kinds.ts'
import { CONFIG_MAP, endFamily, makeFamily, OwnedObjects } from './owned-objects.ts'
import type { OpenServer, ServerAnswer } from '../rigs/running-server.ts'
import { denyWith, type WebhookServer } from '../fakes/webhook-server.ts'

export interface Given {
  readonly server: OpenServer
  readonly kind: DefinedKind
  readonly hooks: WebhookServer
}

export interface FollowerRow {
  readonly name: string
  readonly prepare?: (given: Given) => Promise<void>
  readonly check: (given: Given) => Promise<void>
}

type Json = Record<string, unknown>

/** A name that no other row has. */
function nameIn({ kind }: Given): string {
  return kind.group.replaceAll('.', '-')
}

async function post({ server }: Given, path: string, body: object): Promise<void> {
  await server.must(path, { method: 'POST', body })
}

function makeThing({ server, kind }: Given, name: string, size: number, version = 'v1'): Promise<ServerAnswer> {
  const apiVersion = `${kind.group}/${version}`
  const body = { apiVersion, kind: kind.kind, metadata: { name }, size }
  return server.request(`/apis/${apiVersion}/namespaces/default/things`, { method: 'POST', body })
}

async function soon(look: () => Promise<unknown>, expected: unknown): Promise<void> {
  await expect.poll(look, { interval: 20 }).toMatchObject(expected as object)
}

const collected = (['Background', 'Foreground', 'Orphan'] as const).map(
  (policy): FollowerRow => ({
    name: `the garbage collector: ${policy}`,
    async check({ server, kind }) {
      const objects = new OwnedObjects(server)
      for (const family of [
        [kind, CONFIG_MAP],
        [CONFIG_MAP, kind],
        [kind, kind],
      ] as const) {
        await makeFamily(objects, family)
        await endFamily(objects, family, policy)
      }
    },
  }),
)

const namespaces: FollowerRow = {
  name: 'what is deleted with a namespace',
  prepare: (given) => post(given, '/api/v1/namespaces', { metadata: { name: nameIn(given) } }),
  async check(given) {
    const { server, kind } = given
    const namespace = `/api/v1/namespaces/${nameIn(given)}`
    const objects = new OwnedObjects(server, nameIn(given))
    await objects.make(kind, 'free')
    await objects.make(kind, 'held', { finalizers: ['example.com/held'] })
    await server.must(namespace, { method: 'DELETE' })
    const message = `Some resources are remaining: ${kind.name}. has 1 resource instances`
    const remaining = { type: 'NamespaceContentRemaining', status: 'True', message }
    const status = async (): Promise<unknown> => (await server.must(namespace))['status']
    await soon(status, { conditions: expect.arrayContaining([expect.objectContaining(remaining)]) })
    await objects.gone(kind, 'free')
    await objects.patch(kind, 'held', { finalizers: [] })
    await expect.poll(async () => (await server.request(namespace)).status).toBe(404)
  },
}

const quotas: FollowerRow = {
  name: 'quotas',
  async prepare(given) {
    const counted = `count/${given.kind.name}`
    await post(given, '/api/v1/namespaces/default/resourcequotas', {
      metadata: { name: nameIn(given) },
      spec: { hard: { [counted]: '2' } },
    })
  },
  async check(given) {
    const { server, kind } = given
    const counted = `count/${kind.name}`
    const quota = `/api/v1/namespaces/default/resourcequotas/${nameIn(given)}`
    const used = async (): Promise<unknown> => (await server.must(quota))['status']
    await soon(used, { used: { [counted]: '0' } })
    expect((await makeThing(given, 'a', 1)).status).toBe(201)
    expect((await makeThing(given, 'b', 1)).status).toBe(201)
    expect((await makeThing(given, 'c', 1)).status).toBe(403)
    await new OwnedObjects(server).remove(kind, 'a')
    await soon(used, { used: { [counted]: '1' } })
    expect((await makeThing(given, 'd', 1)).status).toBe(201)
  },
}

const status: FollowerRow = {
  name: 'the status of the definition',
  async check({ server, kind }) {
    const read = async (): Promise<unknown> => (await server.must(`${DEFINITIONS}/${kind.name}`))['status']
    await soon(read, {
      storedVersions: ['v1'],
      acceptedNames: { kind: 'Thing', plural: 'things', listKind: 'ThingList' },
    })
    await redefine(server, kind, { versions: ['v2', 'v1'] })
    await soon(read, { storedVersions: ['v1', 'v2'] })
  },
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

const discovery: FollowerRow = {
  name: 'discovery',
  async check({ server, kind: { group, ...kind } }) {
    const named = async (list: Promise<Json>, member: string): Promise<Json | undefined> => {
      const items = (await list)[member] as readonly Json[]
      return items.find((item) => item['name'] === group || (item['metadata'] as Json | undefined)?.['name'] === group)
    }
    const versions = (...names: readonly string[]) => names.map((version) => ({ version }))
    const groups = (): Promise<unknown> => named(server.must('/apis'), 'groups')
    const aggregated = (): Promise<unknown> => named(server.must('/apis', { headers: { accept: AGGREGATED } }), 'items')
    const resources = (version: string) => async (): Promise<unknown> => server.must(`/apis/${group}/${version}`)
    await soon(groups, { versions: versions('v1'), preferredVersion: { version: 'v1' } })
    await soon(aggregated, { versions: versions('v1') })
    await soon(resources('v1'), { resources: [{ name: 'things', kind: 'Thing', namespaced: true }] })
    await redefine(server, { group, ...kind }, { versions: ['v1', 'v2'] })
    await soon(groups, { versions: versions('v2', 'v1'), preferredVersion: { version: 'v2' } })
    await soon(aggregated, { versions: versions('v2', 'v1') })
    await expect.poll(async () => (await server.request(`/apis/${group}/v2`)).status).toBe(200)
    await soon(resources('v2'), { resources: [{ name: 'things' }] })
  },
}

const documents: FollowerRow = {
  name: 'OpenAPI',
  async check({ server, kind }) {
    const name = `${kind.group.split('.').toReversed().join('.')}.v1.Thing`
    const path = `/apis/${kind.group}/v1/namespaces/{namespace}/things`
    const v2 = async (): Promise<unknown> => {
      const { paths, definitions } = (await server.must('/openapi/v2')) as Record<string, Json>
      return {
        path: paths?.[path] !== undefined,
        properties: (definitions?.[name] as Json | undefined)?.['properties'],
      }
    }
    const v3 = async (): Promise<unknown> => {
      const { paths } = (await server.must('/openapi/v3')) as { paths: Record<string, { serverRelativeURL: string }> }
      const url = paths[`apis/${kind.group}/v1`]?.serverRelativeURL
      if (url === undefined) return undefined
      const { components } = (await server.must(url)) as { components: { schemas: Record<string, Json> } }
      return components.schemas[name]?.['properties']
    }
    await soon(v2, { path: true, properties: { size: { type: 'integer' } } })
    await soon(v3, { size: { type: 'integer' } })
    await redefine(server, kind, { properties: { size: { type: 'integer' }, colour: { type: 'string' } } })
    await soon(v2, { properties: { colour: { type: 'string' } } })
    await soon(v3, { colour: { type: 'string' } })
  },
}

const watches: FollowerRow = {
  name: 'lists and watches',
  async check(given) {
    const { server, kind } = given
    const things = `/apis/${kind.group}/v1/things`
    const { metadata } = (await server.must(things)) as { metadata: { resourceVersion: string } }
    const from = `watch=1&resourceVersion=${metadata.resourceVersion}&timeoutSeconds=1`
    const watched = server.request(`${things}?${from}`)
    await makeThing(given, 'seen', 1)
    await new OwnedObjects(server).remove(kind, 'seen')
    expect(
      (await watched).body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json),
    ).toMatchObject([{ type: 'ADDED', object: { metadata: { name: 'seen' } } }, { type: 'DELETED' }])
    expect(await server.must(things)).toMatchObject({ kind: 'ThingList', items: [] })
  },
}

const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'

function makePolicy(given: Given, name: string, spec: object, binding: object = {}): Promise<void[]> {
  return Promise.all([
    post(given, `${REGISTRATION}/validatingadmissionpolicies`, { metadata: { name }, spec }),
    post(given, `${REGISTRATION}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'], ...binding },
    }),
  ])
}

function rulesFor(group: string, resource: string): object {
  return { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE'], resources: [resource] }
}

const policies: FollowerRow = {
  name: 'admission policies',
  async prepare(given) {
    await makePolicy(given, nameIn(given), {
      matchConstraints: { resourceRules: [rulesFor(given.kind.group, 'things')] },
      validations: [{ expression: 'object.size < 5', message: 'too large' }],
    })
  },
  async check(given) {
    const refused = async (): Promise<unknown> => (await makeThing(given, 'large', 9)).json()
    await soon(refused, { code: 422, message: expect.stringContaining('too large') })
    expect((await makeThing(given, 'small', 1)).status).toBe(201)
  },
}

/** The object is stored in another version than the policy asks for. */
const parameters: FollowerRow = {
  name: 'the parameters of admission policies',
  async prepare(given) {
    const spec = {
      paramKind: { apiVersion: `${given.kind.group}/v1`, kind: 'Thing' },
      matchConstraints: {
        resourceRules: [rulesFor('', 'configmaps')],
        objectSelector: { matchLabels: { row: nameIn(given) } },
      },
      validations: [
        { expression: `params.apiVersion == '${given.kind.group}/v1' && int(object.data.size) < params.size` },
      ],
    }
    const paramRef = { name: 'limit', namespace: 'default', parameterNotFoundAction: 'Deny' }
    await makePolicy(given, nameIn(given), spec, { paramRef })
  },
  async check(given) {
    const { server, kind } = given
    const map = (name: string, size: number): Promise<ServerAnswer> =>
      server.request('/api/v1/namespaces/default/configmaps', {
        method: 'POST',
        body: {
          metadata: { name: `${nameIn(given)}-${name}`, labels: { row: nameIn(given) } },
          data: { size: `${size}` },
        },
      })
    await expect.poll(async () => (await map('early', 1)).status).toBe(422)
    await redefine(server, kind, { versions: ['v2', 'v1'] })
    await expect.poll(async () => (await makeThing(given, 'limit', 3, 'v2')).status).toBe(201)
    await expect.poll(async () => (await map('small', 1)).status).toBe(201)
    expect((await map('large', 4)).status).toBe(422)
  },
}

const webhooks: FollowerRow = {
  name: 'admission webhooks',
  async prepare(given) {
    const { hooks, kind } = given
    hooks.on(`/${nameIn(given)}`, denyWith({ message: 'not here' }))
    await post(given, `${REGISTRATION}/validatingwebhookconfigurations`, {
      metadata: { name: nameIn(given) },
      webhooks: [
        {
          name: 'hook.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: `${hooks.url}/${nameIn(given)}`, caBundle: hooks.caBundle },
          rules: [{ ...rulesFor(kind.group, 'things'), apiVersions: ['v1'] }],
        },
      ],
    })
  },
  async check(given) {
    const { server, kind, hooks } = given
    const refused = (version: string) => async (): Promise<unknown> => (await makeThing(given, 'a', 1, version)).json()
    await soon(refused('v1'), { message: expect.stringContaining('not here') })
    await redefine(server, kind, { versions: ['v1', 'v2'] })
    await soon(refused('v2'), { message: expect.stringContaining('not here') })
    const asked = hooks.calls.findLast(({ path }) => path === `/${nameIn(given)}`)
    expect(asked?.review.request.object).toMatchObject({ apiVersion: `${kind.group}/v1` })
  },
}

const services: FollowerRow = {
  name: 'the services of the group’s versions',
  async check({ server, kind }) {
    const status = (version: string) => async (): Promise<number> =>
      (await server.request(`/apis/apiregistration.k8s.io/v1/apiservices/${version}.${kind.group}`)).status
    await expect.poll(status('v1')).toBe(200)
    await redefine(server, kind, { versions: ['v1', 'v2'] })
    await expect.poll(status('v2')).toBe(200)
  },
}

const metrics: FollowerRow = {
  name: 'metrics',
  async check(given) {
    await makeThing(given, 'counted', 1)
    const line = `apiserver_storage_objects{resource="${given.kind.name}"} 1`
    await expect.poll(async () => (await given.server.request('/metrics')).body).toContain(line)
  },
}

const roles: FollowerRow = {
  name: 'roles that are joined from others',
  async prepare(given) {
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' }
    const rules = [{ apiGroups: [given.kind.group], resources: ['things'], verbs: ['get'] }]
    await post(given, '/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      metadata: { name: nameIn(given), labels },
      rules,
    })
  },
  async check({ server, kind }) {
    const view = async (): Promise<unknown> => server.must('/apis/rbac.authorization.k8s.io/v1/clusterroles/view')
    const rule = expect.objectContaining({ apiGroups: [kind.group], resources: ['things'] })
    await soon(view, { rules: expect.arrayContaining([rule]) })
  },
}

export const FOLLOWER_ROWS: readonly FollowerRow[] = [
  ...collected,
  namespaces,
  quotas,
  status,
  discovery,
  documents,
  watches,
  policies,
  parameters,
  webhooks,
  services,
  metrics,
  roles,
]

/** Once definitions are gone, nothing tells of them. */
export async function checkForgotten(server: OpenServer, kinds: readonly DefinedKind[]): Promise<void> {
  const told = async (): Promise<readonly string[]> => {
    const { groups } = (await server.must('/apis')) as { groups: readonly Json[] }
    const { paths } = (await server.must('/openapi/v3')) as { paths: Json }
    const { items } = (await server.must('/apis/apiregistration.k8s.io/v1/apiservices')) as { items: readonly Json[] }
    const v2 = (await server.request('/openapi/v2')).body
    const metricsText = (await server.request('/metrics')).body
    return kinds.flatMap(({ group, name }) => [
      ...(groups.some((one) => one['name'] === group) ? [`discovery: ${group}`] : []),
      ...(Object.keys(paths).some((path) => path.includes(group)) ? [`OpenAPI v3: ${group}`] : []),
      ...(v2.includes(`/apis/${group}/`) ? [`OpenAPI v2: ${group}`] : []),
      ...(items.some(({ spec }) => (spec as Json)['group'] === group) ? [`services: ${group}`] : []),
      ...(metricsText.includes(`resource="${name}"`) ? [`metrics: ${name}`] : []),
    ])
  }
  await expect.poll(told, { interval: 100 }).toEqual([])
  for (const { group } of kinds) expect((await server.request(`/apis/${group}/v1/things`)).status).toBe(404)
}
