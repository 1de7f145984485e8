// Webhooks and policies from the operator's files: they are in force from the start, follow the files, and nobody removes them through the API.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import { SILENT_LOG } from '../../../src/lib/log.ts'
import { startServer } from '../../../src/server/server.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { tempFolder } from '../../rigs/temp-folder.ts'

const V1 = 'admissionregistration.k8s.io/v1'
const PATH = `/apis/${V1}`
const MAPS = '/api/v1/namespaces/ns/configmaps'
const LEVEL = '--emulated-version=1.37'

const ALL_WRITES = {
  resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
}
const policy = (expression: string, name = 'p.static.k8s.io', spec: object = {}) => ({
  apiVersion: V1,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: ALL_WRITES, validations: [{ expression, message: `not by ${name}` }], ...spec },
})
const binding = (name = 'b.static.k8s.io', policyName = 'p.static.k8s.io', spec: object = {}) => ({
  apiVersion: V1,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName, validationActions: ['Deny'], ...spec },
})
const mutating = [
  {
    apiVersion: V1,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'm.static.k8s.io' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: "Object{metadata: Object.metadata{labels: {'from': 'a-file'}}}" },
        },
      ],
    },
  },
  {
    apiVersion: V1,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: 'mb.static.k8s.io' },
    spec: { policyName: 'm.static.k8s.io' },
  },
]
const webhooks = (kind: string, clientConfig: object, name = 'w.static.k8s.io') => ({
  apiVersion: V1,
  kind,
  metadata: { name },
  webhooks: [
    {
      name: 'w.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig,
      rules: [
        { apiGroups: ['', 'admissionregistration.k8s.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] },
      ],
    },
  ],
})
/** Nobody answers there, so that it refuses what it is asked about. */
const NOWHERE = { url: 'https://127.0.0.1:1/x' }

const NO_LOCKED = "!has(object.metadata) || !object.metadata.name.startsWith('locked')"

let folder: string
beforeEach(async () => {
  folder = await tempFolder()
})

const put = (name: string, ...documents: readonly object[]): void => {
  mkdirSync(path.join(folder, 'm'), { recursive: true })
  writeFileSync(path.join(folder, 'm', name), documents.map((document) => JSON.stringify(document)).join('\n---\n'))
}

function flagsFor(plugin: string, directory = path.join(folder, 'm')): readonly string[] {
  const file = path.join(folder, 'admission.json')
  const configuration = { staticManifestsDir: directory }
  const plugins = [{ name: plugin, configuration }]
  writeFileSync(file, JSON.stringify({ kind: 'AdmissionConfiguration', plugins }))
  return [LEVEL, `--admission-control-config-file=${file}`]
}

const openOn = (plugin: string): Promise<ApiWorld> => openWorld({ flags: flagsFor(plugin) })
const create = (world: ApiWorld, name: string) =>
  world.send({ method: 'POST', path: `${MAPS}?dryRun=All`, body: { metadata: { name } } })

describe('policies from files', () => {
  it('are in force, are not shown, and cannot be removed', async () => {
    put('a.yaml', policy(NO_LOCKED), binding())
    const world = await openOn('ValidatingAdmissionPolicy')
    expect(await create(world, 'locked')).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('not by p.static.k8s.io') },
    })
    expect((await create(world, 'open')).status).toBe(201)
    const list = await world.send({ method: 'GET', path: `${PATH}/validatingadmissionpolicies` })
    expect(list.body['items']).toEqual([])
    const gone = await world.send({ method: 'DELETE', path: `${PATH}/validatingadmissionpolicies/p.static.k8s.io` })
    expect(gone.status).toBe(404)
    await world.send({ method: 'DELETE', path: `${PATH}/validatingadmissionpolicies` })
    expect((await create(world, 'locked')).status).toBe(422)
  })

  it('protect the configurations of the API, which no policy there does', async () => {
    put('a.yaml', policy("request.operation != 'DELETE'"), binding())
    const world = await openOn('ValidatingAdmissionPolicy')
    const body = policy('true', 'kept')
    const at = `${PATH}/validatingadmissionpolicies`
    expect((await world.send({ method: 'POST', path: at, body })).status).toBe(201)
    expect((await world.send({ method: 'DELETE', path: `${at}/kept` })).status).toBe(422)
    expect((await world.send({ method: 'DELETE', path: at })).status).toBe(422)
    expect((await world.send({ method: 'GET', path: `${at}/kept` })).status).toBe(200)
  })

  it('do not apply to reviews', async () => {
    put('a.yaml', policy('false'), binding())
    const world = await openOn('ValidatingAdmissionPolicy')
    const review = { method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', body: {} }
    expect((await world.send(review)).status).toBe(201)
    expect((await create(world, 'a')).status).toBe(422)
  })

  it('cannot be bound from the API', async () => {
    put('a.yaml', policy('false'))
    const world = await openOn('ValidatingAdmissionPolicy')
    const body = binding('b')
    const path = `${PATH}/validatingadmissionpolicybindings`
    expect((await world.send({ method: 'POST', path, body })).status).toBe(201)
    expect((await create(world, 'a')).status).toBe(201)
  })

  it('change objects', async () => {
    put('a.json', { apiVersion: 'v1', kind: 'List', items: mutating })
    const world = await openOn('MutatingAdmissionPolicy')
    expect((await create(world, 'a')).body['metadata']).toMatchObject({ labels: { from: 'a-file' } })
  })

  it('follow their files, and stay where a file is faulty', async () => {
    put('a.yaml', policy(NO_LOCKED), binding())
    const world = await openOn('ValidatingAdmissionPolicy')
    put('a.yaml', policy("object.metadata.name != 'other'"), binding())
    await expect.poll(async () => (await create(world, 'other')).status).toBe(422)
    expect((await create(world, 'locked1')).status).toBe(201)
    put('a.yaml', policy('no CEL', 'p.static.k8s.io'), binding())
    put('b.txt', policy('false'))
    expect((await create(world, 'other')).status).toBe(422)
    rmSync(path.join(folder, 'm', 'a.yaml'))
    await expect.poll(async () => (await create(world, 'other')).status).toBe(201)
  })
})

describe('webhooks from files', () => {
  it.each(['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration'])('are called: %s', async (kind) => {
    put('a.yml', webhooks(kind, NOWHERE))
    const world = await openOn(kind.replace('WebhookConfiguration', 'AdmissionWebhook'))
    const refused = {
      status: 500,
      body: { message: expect.stringContaining('failed calling webhook "w.example.com"') },
    }
    expect(await create(world, 'a')).toMatchObject(refused)
    const at = `${PATH}/${kind.toLowerCase()}s`
    expect((await world.send({ method: 'GET', path: at })).body['items']).toEqual([])
    // Configurations too, which webhooks in the API are not called for.
    const body = webhooks(kind, NOWHERE, 'stored')
    expect(await world.send({ method: 'POST', path: at, body })).toMatchObject(refused)
  })
})

describe('the server does not start', () => {
  const POLICIES = 'ValidatingAdmissionPolicy'
  const HOOKS = 'ValidatingAdmissionWebhook'
  const HOOK = 'ValidatingWebhookConfiguration'
  it.each<readonly [string, string, readonly object[], string]>([
    ['a name without the suffix', POLICIES, [policy('true', 'p')], 'must have a name that ends with .static.k8s.io'],
    ['no name', POLICIES, [{ ...policy('true'), metadata: {} }], 'name or generateName is required'],
    ['a name twice', POLICIES, [policy('true'), policy('true')], 'too'],
    [
      'another kind',
      POLICIES,
      [webhooks(HOOK, NOWHERE)],
      'but only admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
    ],
    [
      'another version',
      POLICIES,
      [{ ...policy('true'), apiVersion: 'admissionregistration.k8s.io/v1beta1' }],
      'but only',
    ],
    ['a faulty expression', POLICIES, [policy('no CEL')], 'spec.validations[0].expression'],
    ['an unknown field', POLICIES, [{ ...policy('true'), more: 1 }], 'unknown field "more"'],
    [
      'parameters',
      POLICIES,
      [policy('true', undefined, { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })],
      'spec.paramKind is not supported',
    ],
    [
      'a binding with parameters',
      POLICIES,
      [policy('true'), binding(undefined, undefined, { paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } })],
      'spec.paramRef is not supported',
    ],
    ['a binding of a policy that is not there', POLICIES, [binding()], 'which is not in the folder'],
    ['a service', HOOKS, [webhooks(HOOK, { service: { namespace: 'n', name: 's' } })], 'needs clientConfig.url'],
    ['a text', HOOKS, ['text' as unknown as object], 'an item that is not an object'],
  ])('for %s', async (_, plugin, documents, message) => {
    put('a.yaml', ...documents)
    await expect(start(flagsFor(plugin))).rejects.toThrow(message)
  })

  it('without the folder, or its whole path', async () => {
    await expect(start(flagsFor('ValidatingAdmissionPolicy'))).rejects.toThrow('is not a folder')
    await expect(start(flagsFor('ValidatingAdmissionPolicy', 'm'))).rejects.toThrow('is not an absolute path')
  })

  it('without the gate', async () => {
    put('a.yaml')
    const flags = [
      ...flagsFor('ValidatingAdmissionPolicy'),
      '--feature-gates=ManifestBasedAdmissionControlConfig=false',
    ]
    await expect(start(flags)).rejects.toThrow('requires the feature gate ManifestBasedAdmissionControlConfig')
  })
})

async function start(flags: readonly string[]): Promise<void> {
  const config = await readConfig(['--in-memory', '--secure-port=0', ...flags], {})
  const running = await startServer({
    config,
    log: SILENT_LOG,
    signal: new AbortController().signal,
    sharesProcess: true,
  })
  await running.stop()
}
