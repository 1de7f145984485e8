import protobufjs from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { isMap } from '../../../src/api/value.ts'
import { OpenApiDocuments } from '../../../src/codec/openapi-documents.ts'
import { encodeOpenApi } from '../../../src/codec/protobuf-openapi.ts'
import { InvariantError } from '../../../src/lib/errors.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { customOpenApiPart, type CustomOpenApiResource } from '../../../src/schema/openapi-custom.ts'
import { builtInOpenApiParts, builtInTypeSchemas } from '../../../src/schema/openapi-parts.ts'
import { collectGarbage } from '../../rigs/garbage.ts'

const info = { title: 'Test', version: 'v1' }
const options = { info, turns: new Turns() }
const documents = new OpenApiDocuments(options, builtInOpenApiParts())

const cron: CustomOpenApiResource = {
  group: 'example.com',
  version: 'v1',
  kind: 'Cron',
  plural: 'crons',
  listKind: 'CronList',
  namespaced: false,
  verbs: ['get', 'list'],
  subresources: [],
  schema: { type: 'object' },
}

function customPart(resource: CustomOpenApiResource) {
  return customOpenApiPart({ group: 'example.com', version: 'v1' }, [resource], builtInTypeSchemas())
}

describe('the index', () => {
  it('points at every document by its hash', () => {
    const { paths } = documents.v3Index()
    if (!isMap(paths)) throw new Error('no paths')
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '.well-known/openid-configuration',
        'api',
        'api/v1',
        'apis',
        'apis/apps',
        'apis/apps/v1',
        'openid/v1/jwks',
        'version',
      ]),
    )
    expect(paths['apis/apps/v1']).toEqual({
      serverRelativeURL: `/openapi/v3/apis/apps/v1?hash=${documents.v3('apis/apps/v1')?.hash}`,
    })
    expect(documents.v3('apis/apps/v1')?.hash).toMatch(/^[0-9A-F]{128}$/)
    expect(documents.v3('apis/nothing/v1')).toBeUndefined()
  })

  it('is the same in every replica and differs with what is said', () => {
    const again = new OpenApiDocuments(options, builtInOpenApiParts())
    expect(again.v3Index()).toEqual(documents.v3Index())
    expect(again.v2.hash).toBe(documents.v2.hash)
    const newer = new OpenApiDocuments({ ...options, info: { ...info, version: 'v2' } }, builtInOpenApiParts())
    expect(newer.v3('api/v1')?.hash).not.toBe(documents.v3('api/v1')?.hash)
  })
})

describe('a change of custom resources', () => {
  it('makes their documents new and leaves the others built', async () => {
    const first = documents.replace(() => false, [customPart(cron)])
    const changed = { ...cron, schema: { type: 'object', description: 'More.' } }
    const second = first.replace(({ key }) => key === 'apis/example.com/v1', [customPart(changed)])
    expect(second.v3('api/v1')).toBe(documents.v3('api/v1'))
    expect(second.v3('apis/example.com/v1')?.hash).not.toBe(first.v3('apis/example.com/v1')?.hash)
    expect((await second.v3('apis/example.com/v1')?.json())?.toString()).toContain('More.')
    expect((await second.v2.json()).toString()).toContain('com.example.v1.Cron')
    expect(new Set([documents, first, second].map((one) => one.v2.hash)).size).toBe(3)
  })
})

/** The places of the public descriptions that the tests look at. */
const DESCRIPTION = protobufjs.parse(
  `syntax = "proto3";
  message Any { string yaml = 2; }
  message NamedAny { string name = 1; Any value = 2; }
  message V2 { string swagger = 1; Paths2 paths = 8; Definitions definitions = 9; }
  message Paths2 { repeated NamedPath2 path = 2; }
  message NamedPath2 { string name = 1; PathItem2 value = 2; }
  message PathItem2 { Operation2 get = 2; Operation2 patch = 8; repeated ParametersItem parameters = 9; }
  message ParametersItem { Parameter parameter = 1; }
  message Parameter { BodyParameter body_parameter = 1; NonBody non_body_parameter = 2; }
  message BodyParameter { string name = 2; string in = 3; bool required = 4; Schema2 schema = 5; }
  message NonBody { Query query_parameter_sub_schema = 3; Path path_parameter_sub_schema = 4; }
  message Query { string name = 4; string type = 6; }
  message Path { bool required = 1; string name = 4; string type = 5; }
  message Operation2 { string operation_id = 5; repeated ParametersItem parameters = 8; repeated NamedAny vendor_extension = 13; }
  message Definitions { repeated NamedSchema2 additional_properties = 1; }
  message NamedSchema2 { string name = 1; Schema2 value = 2; }
  message Schema2 { string _ref = 1; repeated string required = 19; repeated Any enum = 20; TypeItem type = 22; Items2 items = 23; Properties2 properties = 25; repeated NamedAny vendor_extension = 31; }
  message TypeItem { repeated string value = 1; }
  message Items2 { repeated Schema2 schema = 1; }
  message Properties2 { repeated NamedSchema2 additional_properties = 1; }
  message V3 { string openapi = 1; Paths3 paths = 4; Components components = 5; }
  message Paths3 { repeated NamedPath3 path = 1; }
  message NamedPath3 { string name = 1; PathItem3 value = 2; }
  message PathItem3 { Operation3 patch = 10; }
  message Operation3 { string operation_id = 5; repeated NamedAny specification_extension = 13; }
  message Components { Schemas schemas = 1; }
  message Schemas { repeated NamedSchema3 additional_properties = 1; }
  message NamedSchema3 { string name = 1; SchemaOr value = 2; }
  message SchemaOr { Schema3 schema = 1; Reference reference = 2; }
  message Reference { string _ref = 1; }
  message Schema3 { repeated string required = 23; string type = 25; repeated SchemaOr all_of = 26; Properties3 properties = 31; Default default = 33; }
  message Properties3 { repeated NamedSchema3 additional_properties = 1; }
  message Default { optional string string = 3; }`,
  { keepCase: true },
).root

interface Named {
  readonly name: string
  readonly value: Readonly<Record<string, unknown>>
}

function decode(type: string, bytes: Buffer): Record<string, unknown> {
  const message = DESCRIPTION.lookupType(type)
  return message.toObject(message.decode(bytes))
}

function find(list: unknown, name: string): Named['value'] {
  const found = (list as readonly Named[]).find((one) => one.name === name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found.value
}

const inner = (value: unknown, key: string): unknown => (value as Record<string, unknown>)[key]

describe('the protobuf form', () => {
  const gvk = (kind: string) => ({
    name: 'x-kubernetes-group-version-kind',
    value: { yaml: `{"group":"apps","kind":"${kind}","version":"v1"}` },
  })
  const path = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'

  it('of version 2 says what the JSON says', async () => {
    const document = decode('V2', await documents.v2.protobuf())
    expect(document['swagger']).toBe('2.0')
    const item = find(inner(document['paths'], 'path'), path)
    const [name] = item['parameters'] as readonly unknown[]
    expect(name).toEqual({
      parameter: {
        non_body_parameter: { path_parameter_sub_schema: { required: true, name: 'name', type: 'string' } },
      },
    })
    const [body, dryRun] = inner(item['patch'], 'parameters') as readonly unknown[]
    expect(body).toMatchObject({ parameter: { body_parameter: { name: 'body', in: 'body', required: true } } })
    expect(dryRun).toEqual({
      parameter: { non_body_parameter: { query_parameter_sub_schema: { name: 'dryRun', type: 'string' } } },
    })
    expect(inner(item['patch'], 'vendor_extension')).toContainEqual(gvk('Deployment'))
    const container = find(inner(document['definitions'], 'additional_properties'), 'io.k8s.api.core.v1.Container')
    expect(container).toMatchObject({ required: ['name'], type: { value: ['object'] } })
    const members = inner(container['properties'], 'additional_properties')
    expect(find(members, 'imagePullPolicy')).toEqual({
      enum: [{ yaml: '"Always"' }, { yaml: '"IfNotPresent"' }, { yaml: '"Never"' }],
      type: { value: ['string'] },
    })
    expect(find(members, 'env')).toMatchObject({
      items: { schema: [{ _ref: '#/definitions/io.k8s.api.core.v1.EnvVar' }] },
    })
  })

  it('of version 3 says what the JSON says', async () => {
    const bytes = (await documents.v3('apis/apps/v1')?.protobuf()) ?? Buffer.alloc(0)
    const document = decode('V3', bytes)
    expect(document['openapi']).toBe('3.0.0')
    const patch = find(inner(document['paths'], 'path'), path)['patch']
    expect(inner(patch, 'operation_id')).toBe('patchAppsV1NamespacedDeployment')
    expect(inner(patch, 'specification_extension')).toContainEqual(gvk('Deployment'))
    const schemas = inner(inner(document['components'], 'schemas'), 'additional_properties')
    const container = find(schemas, 'io.k8s.api.core.v1.Container')['schema']
    expect(container).toMatchObject({ type: 'object', required: ['name'] })
    const name = find(inner(inner(container, 'properties'), 'additional_properties'), 'name')
    expect(name).toEqual({ schema: { type: 'string', default: { string: '' } } })
    const probe = find(inner(inner(container, 'properties'), 'additional_properties'), 'livenessProbe')
    expect(JSON.stringify(probe)).toContain('#/components/schemas/io.k8s.api.core.v1.Probe')
  })

  it('leaves nothing out in silence', () => {
    expect(() => encodeOpenApi(2, { swagger: '2.0', surprise: true }).next()).toThrow(InvariantError)
  })
})

/** Whose every step is a turn of its own. */
class ShortTurns extends Turns {
  taken = 0

  override get isOver(): boolean {
    return true
  }

  override next(): Promise<void> {
    this.taken += 1
    return super.next()
  }
}

describe('the event loop', () => {
  it.each([
    ['version 2 in JSON', 6 * 900, (all: OpenApiDocuments) => all.v2.json()],
    ['version 2 in protobuf', 2 * 900, (all: OpenApiDocuments) => all.v2.protobuf()],
    ['version 3 in JSON', 6 * 290, (all: OpenApiDocuments) => all.v3('api/v1')!.json()],
    ['version 3 in protobuf', 2 * 290, (all: OpenApiDocuments) => all.v3('api/v1')!.protobuf()],
  ] as const)('has a turn between any two paths and types of %s', async (_, steps, read) => {
    const turns = new ShortTurns()
    const inSmallSteps = new OpenApiDocuments({ info, turns }, builtInOpenApiParts())
    const [bytes, again] = await Promise.all([read(inSmallSteps), read(inSmallSteps)])
    expect(again).toBe(bytes)
    expect(bytes.equals(await read(documents))).toBe(true)
    // Each of them is made in one step and written in others; texts, and what is between them, are put together in more.
    expect(turns.taken).toBeGreaterThan(steps)
  })
})

it('documents that were replaced are let go, whatever they were built to', async () => {
  let current = new OpenApiDocuments(options, [customPart(cron)])
  const before: WeakRef<object>[] = []
  for (let i = 0; i < 10; i++) {
    before.push(new WeakRef(current), new WeakRef(current.v2), new WeakRef(await current.v2.json()))
    current = current.replace(() => true, [customPart({ ...cron, fingerprint: String(i) })])
    await current.v2.json()
    await current.v3('apis/example.com/v1')?.json()
  }
  await collectGarbage()
  expect(before.filter((document) => document.deref() !== undefined)).toEqual([])
  expect((await current.v2.json()).length).toBeGreaterThan(100)
})
