import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { parseYaml } from '../../../src/codec/yaml-parse.ts'
import { DefinitionError, defineResource, type InferStatus, kubernetes } from '../../../src/define/define.ts'

const spec = z.object({
  replicas: z.int32().min(0).default(1).describe('How many there are.'),
  color: z.enum(['red', 'blue']),
  since: z.iso.datetime().optional(),
})
const status = z.object({
  replicas: z.int32().optional(),
  selector: z.string().optional(),
  conditions: z
    .array(z.object({ type: z.string(), status: z.string() }))
    .meta(kubernetes({ listType: 'map', listMapKeys: ['type'] }))
    .optional(),
})
const base = { group: 'example.com', kind: 'Widget', scope: 'Namespaced' } as const

describe('a defined resource', () => {
  it('has the whole definition', () => {
    const widget = defineResource({
      ...base,
      shortNames: ['wd'],
      categories: ['all'],
      annotations: { 'example.com/owner': 'us' },
      versions: {
        v1: {
          description: 'Something to look at.',
          spec,
          status,
          rules: [{ rule: 'self.metadata.name != "x"', message: 'not x', reason: 'FieldValueForbidden' }],
          columns: [
            { name: 'Replicas', jsonPath: '.spec.replicas' },
            { name: 'Color', jsonPath: '.spec.color', priority: 1 },
            { name: 'Since', jsonPath: '.spec.since' },
            { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
            { name: 'App', jsonPath: '.metadata.labels.app\\.kubernetes\\.io/name' },
            { name: 'Age', jsonPath: '.metadata.creationTimestamp' },
          ],
          scale: {
            specReplicasPath: '.spec.replicas',
            statusReplicasPath: '.status.replicas',
            labelSelectorPath: '.status.selector',
          },
          selectableFields: ['.spec.color'],
          deprecated: 'use v2',
        },
      },
    })
    expect(widget.definition).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com', annotations: { 'example.com/owner': 'us' } },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: {
          plural: 'widgets',
          singular: 'widget',
          kind: 'Widget',
          listKind: 'WidgetList',
          shortNames: ['wd'],
          categories: ['all'],
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            deprecated: true,
            deprecationWarning: 'use v2',
            schema: {
              openAPIV3Schema: {
                type: 'object',
                description: 'Something to look at.',
                'x-kubernetes-validations': [
                  { rule: 'self.metadata.name != "x"', message: 'not x', reason: 'FieldValueForbidden' },
                ],
                required: ['spec'],
                properties: {
                  spec: {
                    type: 'object',
                    required: ['color'],
                    properties: {
                      replicas: {
                        type: 'integer',
                        format: 'int32',
                        minimum: 0,
                        default: 1,
                        description: 'How many there are.',
                      },
                      color: { type: 'string', enum: ['red', 'blue'] },
                      since: { type: 'string', format: 'date-time', pattern: z.regexes.datetime({}).source },
                    },
                  },
                  status: {
                    type: 'object',
                    properties: {
                      replicas: { type: 'integer', format: 'int32' },
                      selector: { type: 'string' },
                      conditions: {
                        type: 'array',
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['type'],
                        items: {
                          type: 'object',
                          required: ['type', 'status'],
                          properties: { type: { type: 'string' }, status: { type: 'string' } },
                        },
                      },
                    },
                  },
                },
              },
            },
            subresources: {
              status: {},
              scale: {
                specReplicasPath: '.spec.replicas',
                statusReplicasPath: '.status.replicas',
                labelSelectorPath: '.status.selector',
              },
            },
            additionalPrinterColumns: [
              { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
              { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
              { name: 'Since', type: 'date', jsonPath: '.spec.since' },
              { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
              { name: 'App', type: 'string', jsonPath: '.metadata.labels.app\\.kubernetes\\.io/name' },
              { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
            ],
            selectableFields: [{ jsonPath: '.spec.color' }],
          },
        ],
      },
    })
    expect(parseYaml(Buffer.from(widget.yaml())).value).toEqual(widget.definition)
    expect(widget.versions.v1).toEqual({
      group: 'example.com',
      version: 'v1',
      plural: 'widgets',
      kind: 'Widget',
      namespaced: true,
    })
  })

  it.each([
    ['Widget', 'widgets'],
    ['Policy', 'policies'],
    ['Gateway', 'gateways'],
    ['Ingress', 'ingresses'],
    ['Mailbox', 'mailboxes'],
    ['Patch', 'patches'],
  ])('makes the plural of %s', (kind, plural) => {
    const { definition } = defineResource({ ...base, kind, versions: { v1: { spec } } })
    expect(definition.metadata.name).toBe(`${plural}.example.com`)
  })

  it('needs no spec where that is optional or has a default', () => {
    const schemaOf = (of: z.ZodType) =>
      defineResource({ ...base, versions: { v1: { spec: of } } }).definition.spec.versions[0]?.schema.openAPIV3Schema
    expect(schemaOf(z.object({}).optional())?.required).toBeUndefined()
    expect(schemaOf(z.object({}).prefault({}))).toEqual({
      type: 'object',
      properties: { spec: { type: 'object', properties: {}, default: {} } },
    })
  })

  const item = z.object({ a: z.string().optional() })
  it.each([
    ['a list type of no list', z.string(), { listType: 'set' }, 'spec.f: has a list type and is not a list'],
    ['a set of objects', z.array(item), { listType: 'set' }, 'spec.f: a set has items that are one value each'],
    ['keys alone', z.array(item), { listMapKeys: ['a'] }, 'spec.f: list type map and list map keys come together'],
    ['no keys', z.array(item), { listType: 'map' }, 'spec.f: list type map and list map keys come together'],
    [
      'a key that is not there',
      z.array(item),
      { listType: 'map', listMapKeys: ['b'] },
      'spec.f: its items have no field "b"',
    ],
    [
      'a key that may be absent',
      z.array(item),
      { listType: 'map', listMapKeys: ['a'] },
      'spec.f[].a: is a list map key',
    ],
  ] as const)('refuses %s, once', (_name, list, meta, expected) => {
    const field = (list as z.ZodType).meta(kubernetes(meta)).optional()
    const define = (): unknown => defineResource({ ...base, versions: { v1: { spec: z.object({ f: field }) } } })
    expect(define).toThrow(expect.objectContaining({ problems: [expect.anything()] }) as Error)
    expect(define).toThrow(expected)
  })

  it('names nobody who converts where only functions do: without them nothing may be lost', () => {
    const versions = { v1: { spec, storage: true }, v2: { spec } }
    const { definition } = defineResource({
      ...base,
      versions,
      convert: { 'v1 -> v2': (object) => object, 'v2 -> v1': (object) => object },
    })
    expect(definition.spec.conversion).toEqual({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://no-conversion-function.invalid/widgets.example.com' },
        conversionReviewVersions: ['v1'],
      },
    })
    expect(defineResource({ ...base, versions }).definition.spec.conversion).toBeUndefined()
  })

  it('adds the list of conditions to the status, and makes a status for it', () => {
    const column = { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' }
    const status = z.object({ size: z.int32() })
    const widget = defineResource({ ...base, versions: { v1: { spec, status, conditions: true, columns: [column] } } })
    const [version] = widget.definition.spec.versions
    const { properties, required } = version!.schema.openAPIV3Schema.properties!['status']!
    expect(required).toEqual(['size'])
    expect(Object.keys(properties!)).toEqual(['size', 'conditions'])
    expect(properties!['conditions']).toMatchObject({
      type: 'array',
      'x-kubernetes-list-map-keys': ['type'],
      items: { required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'] },
    })
    expect(version!.subresources).toEqual({ status: {} })
    const condition: NonNullable<InferStatus<typeof widget>['conditions']>[number] = {
      type: 'Ready',
      status: 'True',
      reason: 'Done',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const alone = defineResource({ ...base, versions: { v1: { spec, conditions: true } } })
    const read: InferStatus<typeof alone> = { conditions: [condition] }
    expect(read).toBeDefined()
    expect(Object.keys(alone.definition.spec.versions[0]!.schema.openAPIV3Schema.properties!['status']!)).toEqual([
      'type',
      'properties',
    ])
  })

  it('refuses a second list of conditions', () => {
    const define = (): unknown => defineResource({ ...base, versions: { v1: { spec, status, conditions: true } } })
    expect(define).toThrow(
      'versions.v1.status: has its own `conditions`: remove them, or remove the option `conditions: true`',
    )
  })

  it('names the webhook of another program', () => {
    const webhook = { url: 'https://convert.example.com' }
    const { definition } = defineResource({ ...base, versions: { v1: { spec } }, webhook })
    expect(definition.spec.conversion?.webhook.clientConfig).toEqual(webhook)
  })

  it('has no options but its own, and neither has a version', () => {
    const versions = { v1: { spec, subresources: {}, storge: true } }
    const define = (): unknown => defineResource({ ...base, versions, conversion: {} } as never)
    expect(define).toThrow(
      [
        'Widget.example.com cannot be defined',
        '  conversion: is not an option: there are group, kind, plural, scope, shortNames, categories, labels, annotations, versions, convert, webhook',
        '  versions.v1.subresources: is not an option: there are spec, status, conditions, description, rules, columns, scale, selectableFields, served, storage, deprecated',
        '  versions.v1.storge: is not an option: there are spec, ',
      ].join('\n'),
    )
  })

  it('tells everything that is wrong at once', () => {
    const define = (): unknown =>
      defineResource({
        ...base,
        versions: {
          v1: {
            spec: z.object({ name: z.string().refine(() => true), at: z.string().trim() }),
            columns: [{ name: 'Nmae', jsonPath: '.spec.nmae' }],
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            selectableFields: ['.spec.name.first'],
          },
          v2: { spec: z.string() },
        },
        convert: { 'v1 -> v2': () => ({ spec: 'x' }) },
      })
    expect(define).toThrow(DefinitionError)
    expect(define).toThrow(
      [
        'Widget.example.com cannot be defined',
        '  versions.v1.spec.name: a refinement runs in your process only: say it as a CEL rule too, .meta(kubernetes({ rules: [{ rule: "…" }] }))',
        '  versions.v1.spec.at: .trim(), .toLowerCase() and the like: the API stores what is sent; convert where it is read',
        '  versions.v1.scale.specReplicasPath: the schema has no field .spec.replicas',
        '  versions.v1.scale.statusReplicasPath: the schema has no field .status.replicas',
        '  versions.v1.selectableFields: the schema has no field .spec.name.first',
        '  versions.v1.columns.Nmae: the schema has no field .spec.nmae',
        '  versions.v2.spec: is an object in every resource: use z.object()',
        '  versions: objects are stored as one of them: set storage: true on exactly one',
        '  convert: no way from v2 to v1: add "v2 -> v1"',
      ].join('\n'),
    )
  })
})
