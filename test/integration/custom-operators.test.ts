// Definitions in the likeness of those that well-known operators bring: deep schemas, rules, several versions, scale, columns.
// Each is installed, takes an object that fits, refuses one that does not, and lists it in every version that it serves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openServer, type OpenServer } from '../rigs/running-server.ts'

const GROUP = 'operators.example.com'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const RULES = 'x-kubernetes-validations'

type Schema = Readonly<Record<string, unknown>>

const text = (more: Schema = {}): Schema => ({ type: 'string', maxLength: 253, ...more })
const integer = (more: Schema = {}): Schema => ({ type: 'integer', ...more })
const fields = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more })
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', maxItems: 32, items, ...more })
const keyed = (items: Schema, ...keys: readonly string[]): Schema =>
  list(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys })
const texts = (more: Schema = {}): Schema => ({
  type: 'object',
  maxProperties: 64,
  additionalProperties: text(),
  ...more,
})
const rules = (...all: readonly (readonly [string, string])[]): Schema => ({
  [RULES]: all.map(([rule, message]) => ({ rule, message })),
})

const amount: Schema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
  pattern: '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
}
const reference = fields({ name: text(), namespace: text(), kind: text({ default: 'Issuer' }) }, { required: ['name'] })
const conditions = keyed(
  fields(
    {
      type: text({ pattern: '^[A-Z][A-Za-z]*$' }),
      status: text({ enum: ['True', 'False', 'Unknown'] }),
      reason: text(),
      message: text({ maxLength: 32768 }),
      lastTransitionTime: text({ format: 'date-time' }),
      observedGeneration: integer({ format: 'int64', minimum: 0 }),
    },
    { required: ['type', 'status'] },
  ),
  'type',
)
const podTemplate = fields({
  metadata: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  spec: fields({
    containers: keyed(
      fields(
        {
          name: text({ minLength: 1 }),
          image: text({ maxLength: 1024 }),
          args: list(text()),
          env: keyed(fields({ name: text(), value: text({ maxLength: 4096 }) }, { required: ['name'] }), 'name'),
          resources: fields({
            limits: { type: 'object', maxProperties: 16, additionalProperties: amount },
            requests: { type: 'object', maxProperties: 16, additionalProperties: amount },
          }),
        },
        { required: ['name'] },
      ),
      'name',
    ),
    nodeSelector: texts(),
    tolerations: list(
      fields({ key: text(), operator: text({ enum: ['Exists', 'Equal'] }), tolerationSeconds: integer() }),
    ),
  }),
})

interface Operator {
  readonly kind: string
  readonly spec: Schema
  readonly good: object
  readonly bad: object
  /** A part of what is told of the bad one. */
  readonly told: string
  readonly version?: object
  /** Versions beside v1, which is stored. */
  readonly others?: readonly string[]
  readonly scope?: 'Cluster'
}

const OPERATORS: readonly Operator[] = [
  {
    kind: 'Certificate',
    spec: fields(
      {
        secretName: text({ minLength: 1 }),
        dnsNames: list(text({ format: 'hostname' }), { 'x-kubernetes-list-type': 'set' }),
        duration: text({ format: 'duration', default: '2160h' }),
        renewBefore: text({ format: 'duration' }),
        issuerRef: reference,
        privateKey: fields(
          { algorithm: text({ enum: ['RSA', 'ECDSA', 'Ed25519'], default: 'RSA' }), size: integer({ default: 2048 }) },
          rules(["self.algorithm != 'RSA' || self.size >= 2048", 'RSA keys need 2048 bits']),
        ),
      },
      { required: ['secretName', 'issuerRef'] },
    ),
    good: { secretName: 's', issuerRef: { name: 'i' }, dnsNames: ['a.example.com'], privateKey: {} },
    bad: { secretName: 's', issuerRef: { name: 'i' }, privateKey: { size: 512 } },
    told: 'spec.privateKey: Invalid value: RSA keys need 2048 bits',
    others: ['v1beta1'],
  },
  {
    kind: 'GatewayRoute',
    spec: fields({
      hostnames: list(text({ pattern: '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' })),
      rules: list(
        fields(
          {
            matches: list(
              fields({
                path: fields(
                  {
                    type: text({ enum: ['Exact', 'PathPrefix'], default: 'PathPrefix' }),
                    value: text({ default: '/' }),
                  },
                  { default: { type: 'PathPrefix', value: '/' } },
                ),
              }),
              { maxItems: 8, default: [{ path: { type: 'PathPrefix', value: '/' } }] },
            ),
            backends: list(
              fields(
                {
                  name: text(),
                  port: integer({ minimum: 1, maximum: 65535 }),
                  weight: integer({ default: 1, minimum: 0 }),
                },
                { required: ['name'] },
              ),
              { maxItems: 16 },
            ),
          },
          rules(['!has(self.backends) || self.backends.exists(b, b.weight > 0)', 'some backend must have a weight']),
        ),
        { maxItems: 16 },
      ),
    }),
    good: { hostnames: ['*.example.com'], rules: [{ backends: [{ name: 'b', port: 80 }] }] },
    bad: { rules: [{ backends: [{ name: 'b', weight: 0 }] }] },
    told: 'spec.rules[0]: Invalid value: some backend must have a weight',
  },
  {
    kind: 'DatabaseCluster',
    spec: fields(
      {
        instances: integer({ minimum: 1, default: 1 }),
        storage: fields(
          { size: amount, class: text({ ...rules(['self == oldSelf', 'the storage class cannot be changed']) }) },
          { required: ['size'] },
        ),
        parameters: texts(),
        template: podTemplate,
        bootstrap: fields(
          { init: fields({ database: text() }), restore: fields({ from: text() }) },
          { oneOf: [{ required: ['init'] }, { required: ['restore'] }] },
        ),
      },
      { required: ['storage'] },
    ),
    good: {
      storage: { size: '10Gi' },
      bootstrap: { init: { database: 'app' } },
      template: { spec: { containers: [{ name: 'db', resources: { limits: { cpu: 1, memory: '1Gi' } } }] } },
    },
    bad: { storage: { size: '10Gi' }, bootstrap: {} },
    told: '"spec.bootstrap" must validate one and only one schema (oneOf). Found none valid',
    version: {
      subresources: { status: {}, scale: { specReplicasPath: '.spec.instances', statusReplicasPath: '.status.ready' } },
    },
  },
  {
    kind: 'BackupSchedule',
    spec: fields(
      {
        schedule: text({ pattern: '^(\\S+ ){4}\\S+$' }),
        keep: integer({ minimum: 1, maximum: 365, default: 7 }),
        includes: list(text(), { 'x-kubernetes-list-type': 'set' }),
      },
      { required: ['schedule'] },
    ),
    good: { schedule: '0 3 * * *', includes: ['a', 'b'] },
    bad: { schedule: '0 3 * * *', includes: ['a', 'a'] },
    told: 'spec.includes[1]: Duplicate value: "a"',
  },
  {
    kind: 'WorkflowRun',
    spec: fields(
      {
        steps: keyed(
          fields(
            {
              name: text({ minLength: 1 }),
              after: list(text(), { maxItems: 8 }),
              template: podTemplate,
              timeout: text({ format: 'duration' }),
            },
            { required: ['name'] },
          ),
          'name',
        ),
      },
      rules([
        '!has(self.steps) || self.steps.all(s, !has(s.after) || s.after.all(a, a != s.name))',
        'a step cannot wait for itself',
      ]),
    ),
    good: { steps: [{ name: 'build' }, { name: 'test', after: ['build'] }] },
    bad: { steps: [{ name: 'build', after: ['build'] }] },
    told: 'spec: Invalid value: a step cannot wait for itself',
  },
  {
    kind: 'ScaledTarget',
    spec: fields(
      {
        target: fields({ name: text() }, { required: ['name'] }),
        min: integer({ default: 0, minimum: 0 }),
        max: integer({ default: 100 }),
        triggers: list(fields({ type: text(), metadata: texts() }, { required: ['type', 'metadata'] }), {
          minItems: 1,
        }),
      },
      { required: ['target', 'triggers'], ...rules(['self.min <= self.max', 'min must not be above max']) },
    ),
    good: { target: { name: 't' }, triggers: [{ type: 'cron', metadata: { start: '0' } }] },
    bad: { target: { name: 't' }, min: 5, max: 2, triggers: [{ type: 'cron', metadata: {} }] },
    told: 'spec: Invalid value: min must not be above max',
    others: ['v1alpha1'],
  },
  {
    kind: 'AlertRules',
    spec: fields({
      groups: keyed(
        fields(
          {
            name: text(),
            interval: text({ pattern: '^([0-9]+(ms|s|m|h|d))+$' }),
            rules: list(
              fields(
                {
                  alert: text(),
                  expr: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                  for: text(),
                  labels: texts(),
                },
                { required: ['expr'] },
              ),
            ),
          },
          { required: ['name'] },
        ),
        'name',
      ),
    }),
    good: { groups: [{ name: 'g', interval: '30s', rules: [{ alert: 'A', expr: 'up == 0' }, { expr: 1 }] }] },
    bad: { groups: [{ name: 'g', interval: 'often', rules: [{ alert: 'A' }] }] },
    told: 'spec.groups[0].rules[0].expr: Required value',
  },
  {
    kind: 'ExternalSecret',
    spec: fields({
      store: reference,
      refresh: text({ default: '1h' }),
      data: list(
        fields(
          { key: text(), remote: fields({ key: text(), version: text() }, { required: ['key'] }) },
          { required: ['key', 'remote'] },
        ),
      ),
      template: {
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
      },
    }),
    good: {
      store: { name: 'vault' },
      data: [{ key: 'a', remote: { key: 'b' } }],
      template: { apiVersion: 'v1', kind: 'Secret', metadata: { labels: { a: 'b' } }, anything: { goes: 1 } },
    },
    bad: { store: { name: 'vault' }, template: { apiVersion: 'v1' } },
    told: 'spec.template.kind: Required value',
  },
  {
    kind: 'MessageTopic',
    spec: fields({
      partitions: integer({ minimum: 1, ...rules(['self >= oldSelf', 'partitions cannot be taken away']) }),
      replicas: integer({ minimum: 1, maximum: 7, multipleOf: 1 }),
      config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    }),
    good: { partitions: 3, replicas: 3, config: { 'retention.ms': 1000, deep: { er: [1] } } },
    bad: { partitions: 3, replicas: 9 },
    told: 'spec.replicas: Invalid value: 9: spec.replicas in body should be less than or equal to 7',
  },
  {
    kind: 'MachinePool',
    spec: fields({
      replicas: integer({ default: 1, minimum: 0 }),
      zones: list(text(), { maxItems: 8 }),
      taints: list(
        fields(
          { key: text(), effect: text({ enum: ['NoSchedule', 'NoExecute', 'PreferNoSchedule'] }) },
          { required: ['key', 'effect'] },
        ),
      ),
      cidr: text({ format: 'cidr', ...rules(['cidr(self).prefixLength() >= 16', 'at most a /16']) }),
    }),
    good: { zones: ['a'], taints: [{ key: 'k', effect: 'NoSchedule' }], cidr: '10.0.0.0/24' },
    bad: { cidr: '10.0.0.0/8' },
    told: 'spec.cidr: Invalid value: "10.0.0.0/8": at most a /16',
    scope: 'Cluster',
    others: ['v1beta2', 'v1beta1'],
  },
]

function definitionOf({ kind, spec, version = {}, others = [], scope = 'Namespaced' as 'Cluster' }: Operator): object {
  const plural = `${kind.toLowerCase()}s`
  const openAPIV3Schema = fields({ spec, status: fields({ conditions, ready: integer(), phase: text() }) })
  const columns = [
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ]
  const versionOf = (name: string): object => ({
    name,
    served: true,
    storage: name === 'v1',
    ...(name === 'v1' ? {} : { deprecated: true }),
    schema: { openAPIV3Schema },
    subresources: { status: {} },
    additionalPrinterColumns: columns,
    ...version,
  })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope,
      names: { plural, kind, categories: ['operators'] },
      versions: ['v1', ...others].map(versionOf),
    },
  }
}

let server: OpenServer

beforeAll(async () => {
  server = await openServer()
})

afterAll(() => server[Symbol.asyncDispose]())

describe.each(OPERATORS.map((operator) => [operator.kind, operator] as const))('%s', (kind, operator) => {
  const place = operator.scope === 'Cluster' ? '' : 'namespaces/default/'
  const at = (version: string): string => `/apis/${GROUP}/${version}/${place}${kind.toLowerCase()}s`
  const object = (name: string, spec: object): object => ({ apiVersion: `${GROUP}/v1`, kind, metadata: { name }, spec })

  it('is installed, and takes what fits at once', async () => {
    await server.must(DEFINITIONS, { method: 'POST', body: definitionOf(operator) })
    const made = await server.must(at('v1'), { method: 'POST', body: object('good', operator.good) })
    expect(made['spec']).toMatchObject(operator.good)
  })

  it('refuses what does not, and says why', async () => {
    const answer = await server.request(at('v1'), { method: 'POST', body: object('bad', operator.bad) })
    expect([answer.status, answer.json()['message']]).toEqual([422, expect.stringContaining(operator.told)])
  })

  it('shows its objects in all versions, and in a table', async () => {
    for (const version of ['v1', ...(operator.others ?? [])]) {
      const { items } = (await server.must(at(version))) as { items: readonly { apiVersion: string; spec: object }[] }
      expect(items).toHaveLength(1)
      expect(items[0]).toMatchObject({ apiVersion: `${GROUP}/${version}`, spec: operator.good })
    }
    const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
    const table = await server.must(at('v1'), { headers })
    expect((table['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual(['Name', 'Ready', 'Age'])
  })

  it('takes a status, an apply of the same, and a deletion', async () => {
    const status = { conditions: [{ type: 'Ready', status: 'True', reason: 'R' }] }
    const merge = { 'content-type': 'application/merge-patch+json' }
    const patched = await server.must(`${at('v1')}/good/status`, { method: 'PATCH', headers: merge, body: { status } })
    expect(patched['status']).toEqual(status)
    const apply = { 'content-type': 'application/apply-patch+yaml' }
    const applied = await server.must(`${at('v1')}/good?fieldManager=me&force=true`, {
      method: 'PATCH',
      headers: apply,
      body: object('good', operator.good),
    })
    expect(applied['metadata']).toMatchObject({ generation: 1 })
    await server.must(`${at('v1')}/good`, { method: 'DELETE' })
    expect((await server.request(`${at('v1')}/good`)).status).toBe(404)
  })
})
