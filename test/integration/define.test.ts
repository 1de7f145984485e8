// Resources defined in TypeScript, on a server: the definition is accepted, and what it says holds for people with kubectl.
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type ConversionReview, defineResource, kubernetes } from '../../src/define/define.ts'
import { DEFINITIONS } from '../corpora/defined-kinds.ts'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectls, Kubectl, type KubectlResult } from '../rigs/kubectl.ts'
import { openServer } from '../rigs/running-server.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'
import { openWebhookServer } from '../fakes/webhook-server.ts'

let kubectls: readonly string[] = []

beforeAll(async () => {
  kubectls = await findKubectls()
}, GO_BUILD_LIMIT_MS)

const port = z.object({
  name: z.string(),
  number: z.int32().min(1).max(65_535),
  protocol: z.enum(['TCP', 'UDP']).default('TCP'),
})

const Crew = defineResource({
  group: 'ship.example.com',
  kind: 'Crew',
  scope: 'Namespaced',
  shortNames: ['cr'],
  categories: ['all'],
  versions: {
    v1: {
      storage: true,
      description: 'A crew keeps a ship going.',
      spec: z
        .object({
          replicas: z.int32().min(0).default(2).describe('How many sailors there are.'),
          most: z.int32().default(5),
          captain: z
            .string()
            .max(20)
            .describe('Who leads.')
            .meta(kubernetes({ rules: [{ rule: 'self == oldSelf', message: 'the captain stays' }] })),
          watch: z.union([z.int(), z.string()]).optional(),
          note: z.string().nullable().optional(),
          tags: z
            .array(z.string().max(9))
            .max(9)
            .meta(kubernetes({ listType: 'set' }))
            .optional(),
          ports: z
            .array(port)
            .max(9)
            .meta(kubernetes({ listType: 'map', listMapKeys: ['name'] }))
            .optional(),
          extra: z.looseObject({}).optional(),
        })
        .meta(
          kubernetes({
            rules: [
              {
                rule: 'self.replicas <= self.most',
                message: 'too many sailors',
                fieldPath: '.replicas',
                reason: 'FieldValueForbidden',
              },
            ],
          }),
        ),
      status: z.object({ replicas: z.int32().optional(), selector: z.string().optional() }),
      rules: [{ rule: 'self.metadata.name.startsWith("c")', message: 'names begin with c' }],
      columns: [
        { name: 'Captain', jsonPath: '.spec.captain' },
        { name: 'Sailors', jsonPath: '.spec.replicas', description: 'How many there should be.' },
        { name: 'Aboard', jsonPath: '.status.replicas', priority: 1 },
      ],
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
      selectableFields: ['.spec.captain'],
    },
    v1beta1: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      deprecated: 'take v1',
    },
  },
})

const crew = (name: string, spec: object): string =>
  JSON.stringify({ apiVersion: 'ship.example.com/v1', kind: 'Crew', metadata: { name }, spec })

it('does all that it says', async () => {
  const home = await newHome()
  const server = await startServerProcess(['--in-memory'], home)
  const kubectl = new Kubectl(kubectls[0]!, { kubeconfig: server.kubeconfigFile, home })
  const run = (command: string, input?: string): Promise<KubectlResult> => kubectl.run(command.split(' '), input)
  const say = async (command: string, input?: string): Promise<string> => {
    const result = await run(command, input)
    expect([command, result.code, result.stderr]).toEqual([command, 0, expect.any(String)])
    return result.stdout.replaceAll(/[ \t]+/g, ' ')
  }
  const refusal = async (command: string, input?: string): Promise<string> => {
    const result = await run(command, input)
    expect([command, result.code]).toEqual([command, 1])
    return result.stderr
  }

  expect(await say('create -f -', Crew.yaml())).toContain('crews.ship.example.com created')
  await say('wait --for=condition=Established crd/crews.ship.example.com')
  const conditions = await say('get crd crews.ship.example.com -o jsonpath={.status.conditions[*].type}')
  expect(conditions).not.toContain('NonStructuralSchema')

  // Defaults, rules, list types.
  await say(
    'create -f -',
    crew('c1', { captain: 'Ann', ports: [{ name: 'a', number: 1 }], extra: { any: [1] }, note: null }),
  )
  const stored = JSON.parse(await say('get crew c1 -o json')) as { spec: object }
  expect(stored.spec).toEqual({
    captain: 'Ann',
    replicas: 2,
    most: 5,
    ports: [{ name: 'a', number: 1, protocol: 'TCP' }],
    extra: { any: [1] },
    note: null,
  })
  expect(await refusal('create -f -', crew('d1', { captain: 'Bo' }))).toContain('names begin with c')
  expect(await refusal('create -f -', crew('c2', {}))).toContain('spec.captain: Required value')
  expect(await refusal('create -f -', crew('c2', { captain: 'Bo', replicas: 6 }))).toContain(
    'spec.replicas: Forbidden: too many sailors',
  )
  expect(await refusal('create -f -', crew('c2', { captain: 'Bo', tags: ['x', 'x'] }))).toContain(
    'spec.tags[1]: Duplicate',
  )
  expect(await refusal('create -f -', crew('c2', { captain: 'Bo', watch: true }))).toContain('spec.watch')
  expect(await refusal('create -f -', crew('c2', { captain: 'Bo', rank: 1 }))).toContain('unknown field "spec.rank"')
  expect(await refusal('patch crew c1 --type=merge -p {"spec":{"captain":"Bo"}}')).toContain('the captain stays')

  // Each owns the items that it has applied.
  const applied = (name: string): string => crew('c1', { captain: 'Ann', ports: [{ name, number: 9 }] })
  await say('apply --server-side --field-manager=one -f -', applied('b'))
  await say('apply --server-side --field-manager=two -f -', applied('c'))
  expect(await say('get crew c1 -o jsonpath={.spec.ports[*].name}')).toBe('a b c')

  // Columns, selectable fields, categories and short names.
  const [head, line] = (await say('get cr')).split('\n')
  expect([head?.trim(), line?.trim()]).toEqual(['NAME CAPTAIN SAILORS', 'c1 Ann 2'])
  expect(await say('get cr -o wide')).toContain('ABOARD')
  expect(await say('get cr --field-selector spec.captain=Ann -o name')).toBe('crew.ship.example.com/c1\n')
  expect(await say('get cr --field-selector spec.captain=Bo -o name')).toBe('')
  expect(await say('get all -o name')).toContain('crew.ship.example.com/c1')

  // Scale and status.
  await say('scale crew c1 --replicas=4')
  expect(await say('get crew c1 -o jsonpath={.spec.replicas}')).toBe('4')
  expect(await refusal('scale crew c1 --replicas=6')).toContain('too many sailors')
  await say('patch crew c1 --type=merge -p {"status":{"replicas":3}}')
  expect(await say('get crew c1 -o jsonpath={.status}')).toBe('')
  await say(
    'patch crew c1 --subresource=status --type=merge -p {"status":{"replicas":3,"selector":"a=b"},"spec":{"most":9}}',
  )
  expect(await say('get crew c1 -o jsonpath={.status.replicas},{.spec.most}')).toBe('3,5')
  expect(JSON.parse(await say('get --raw /apis/ship.example.com/v1/namespaces/default/crews/c1/scale'))).toMatchObject({
    spec: { replicas: 4 },
    status: { replicas: 3, selector: 'a=b' },
  })

  // Descriptions and versions.
  expect(await say('explain crew')).toContain('A crew keeps a ship going.')
  expect(await say('explain crew.spec')).toMatch(/captain <string> -required-\s+Who leads\./)
  expect(await say('explain crew.spec.replicas')).toContain('How many sailors there are.')
  expect((await run('get crews.v1beta1.ship.example.com')).stderr).toContain('Warning: take v1')
  expect(await server.stop()).toMatchObject({ code: 0 })
})

it('answers the server that asks for another version', async () => {
  await using hooks = await openWebhookServer()
  await using server = await openServer()
  const Plank = defineResource({
    group: 'ship.example.com',
    kind: 'Plank',
    scope: 'Cluster',
    versions: {
      v1: { spec: z.object({ size: z.string() }) },
      v2: { spec: z.object({ length: z.int(), unit: z.enum(['m', 'ft']).default('m') }), storage: true },
    },
    convert: {
      'v1 -> v2': ({ spec: { size } }) => {
        const length = Number.parseInt(size, 10)
        if (Number.isNaN(length)) throw new Error(`${size} is no length`)
        return { spec: size.endsWith('ft') ? { length, unit: 'ft' } : { length } }
      },
      'v2 -> v1': ({ spec: { length, unit } }) => ({ spec: { size: `${length}${unit}` } }),
    },
    webhook: { url: `${hooks.url}/convert`, caBundle: hooks.caBundle },
  })
  hooks.on('/convert', (review, response) => {
    response.end(JSON.stringify(Plank.review(review as unknown as ConversionReview)))
  })
  await server.must(DEFINITIONS, { method: 'POST', body: Plank.definition })
  const planks = (version: string): string => `/apis/ship.example.com/${version}/planks`
  await expect.poll(async () => (await server.request(planks('v1'))).status).toBe(200)

  const plank = (name: string, size: string) => ({
    apiVersion: 'ship.example.com/v1',
    kind: 'Plank',
    metadata: { name, labels: { wood: 'oak' } },
    spec: { size },
  })
  expect(await server.must(planks('v1'), { method: 'POST', body: plank('a', '3') })).toMatchObject({
    spec: { size: '3m' },
  })
  expect(await server.must(`${planks('v2')}/a`)).toMatchObject({
    apiVersion: 'ship.example.com/v2',
    metadata: { name: 'a', labels: { wood: 'oak' } },
    spec: { length: 3, unit: 'm' },
  })
  const refused = await server.request(planks('v1'), { method: 'POST', body: plank('b', 'long') })
  expect(refused.body).toContain('long is no length')
})
