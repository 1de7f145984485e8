import { describe, it } from 'vitest'
import type { ValueMap } from '../../../../../src/api/value.ts'
import { changes, judge, type Row, rows } from '../../judging.ts'

const OF = 'apiextensions.k8s.io/v1 CustomResourceDefinition'
const AT = 'spec.validation.openAPIV3Schema'

/** A definition whose objects have these properties. */
const properties = (name: string, members: ValueMap, ...told: readonly string[]): Row =>
  schema(name, { type: 'object', properties: members }, ...told)

const schema = (name: string, members: ValueMap, ...told: readonly string[]): Row => ({
  of: OF,
  case: name,
  set: { 'spec/versions/0/schema/openAPIV3Schema': members },
  told,
})

const STRUCTURE: readonly Row[] = [
  properties('a field of a type', { a: { type: 'string' } }),
  properties(
    'a field without a type',
    { a: {} },
    `${AT}.properties[a].type: Required value: must not be empty for specified object fields`,
  ),
  properties('a number or a text', {
    a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  }),
  properties(
    'a list of nothing',
    { a: { type: 'array' } },
    `${AT}.properties[a].items: Required value: must be specified`,
  ),
  properties(
    'a type where fields are restricted',
    { a: { type: 'string', allOf: [{ type: 'string' }] } },
    `${AT}.properties[a].allOf[0].type: Forbidden: must be empty to be structural`,
  ),
  schema(
    'a restriction of what is not there',
    { type: 'object', not: { properties: { b: { minLength: 1 } } } },
    `${AT}.properties[b]: Required value: because it is defined in ${AT}.not.properties[b]`,
  ),
  schema(
    'anything goes at the root',
    { type: 'object', additionalProperties: { type: 'string' } },
    `${AT}.additionalProperties: Forbidden: must not be used at the root`,
  ),
  properties(
    'more metadata than a name',
    { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    `${AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
  ),
  properties('a name', { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } }),
  properties(
    'a kind that is no text',
    { kind: { type: 'integer' } },
    `${AT}.properties[kind].type: Invalid value: "integer": must be string`,
  ),
  schema(
    'nothing at the root',
    { type: 'object', nullable: true },
    `${AT}.nullable: Forbidden: nullable cannot be true at the root`,
  ),
  properties(
    'a default that the schema does not know',
    { a: { type: 'object', properties: { b: { type: 'string' } }, default: { c: 'd' } } },
    `${AT}.properties[a].default: Invalid value: {"c":"d"}: must not have unknown fields`,
  ),
  properties(
    'an embedded object of nothing',
    { a: { type: 'object', 'x-kubernetes-embedded-resource': true } },
    `${AT}.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
  ),
]

const list = (members: ValueMap, items: ValueMap): ValueMap => ({ a: { type: 'array', items, ...members } })
const MAP = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }
const KEYED = { type: 'object', required: ['k'], properties: { k: { type: 'string' } } }

const WORDS: readonly Row[] = [
  properties(
    'an unknown type',
    { a: { type: 'odd' } },
    `${AT}.properties[a].type: Unsupported value: "odd": supported values: "array", "boolean", "integer", "number", "object", "string"`,
  ),
  properties(
    'a reference',
    { a: { type: 'object', $ref: '#/x' } },
    `${AT}.properties[a].$ref: Forbidden: $ref is not supported`,
  ),
  properties(
    'items that differ',
    list({ uniqueItems: true }, { type: 'string' }),
    `${AT}.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
  ),
  properties(
    'known and unknown fields',
    { a: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } } },
    `${AT}.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
  ),
  properties('a map of items', list(MAP, KEYED)),
  properties(
    'a map of items without keys',
    list({ 'x-kubernetes-list-type': 'map' }, KEYED),
    `${AT}.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
  ),
  properties(
    'a key that may be absent',
    list(MAP, { type: 'object', properties: { k: { type: 'string' } } }),
    `${AT}.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
  ),
  properties(
    'a set of objects that merge',
    list({ 'x-kubernetes-list-type': 'set' }, { type: 'object' }),
    `${AT}.properties[a].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
  ),
  properties(
    'an unknown kind of list',
    list({ 'x-kubernetes-list-type': 'odd' }, { type: 'string' }),
    `${AT}.properties[a].x-kubernetes-list-type: Unsupported value: "odd": supported values: "atomic", "set", "map"`,
  ),
  properties(
    'a rule that says nothing',
    { a: { type: 'object', 'x-kubernetes-validations': [{ rule: ' ' }] } },
    `${AT}.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
  ),
  properties(
    'a rule about another place',
    { a: { type: 'object', 'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.x' }] } },
    `${AT}.properties[a].x-kubernetes-validations[0].fieldPath: Invalid value: ".x": must be a valid path`,
  ),
]

const FIELDS: readonly Row[] = [
  {
    of: OF,
    case: 'fields to select by',
    set: {
      'spec/versions/0/schema/openAPIV3Schema': {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } } },
      },
      'spec/versions/0/selectableFields': [
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.b' },
        { jsonPath: '.spec.a' },
        { jsonPath: 'spec.a' },
      ],
    },
    told: [
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec.b": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[2].jsonPath: Duplicate value: ".spec.a"',
      'spec.selectableFields[3].jsonPath: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec',
    ],
  },
]

const converted = (caBundle: string): ValueMap => ({
  strategy: 'Webhook',
  webhook: { clientConfig: { url: 'https://example.com', caBundle }, conversionReviewVersions: ['v1'] },
})

const CHANGES: readonly Row[] = [
  ...rows(OF, ['a webhook that nobody can trust yet', { 'spec/conversion': converted('Zm9v') }]),
  ...changes(
    OF,
    [
      'a webhook that nobody can trust any more',
      { 'spec/conversion': converted(''), 'status/conditions': [{ type: 'Established', status: 'True' }] },
      { 'spec/conversion': converted('Zm9v') },
      'spec.conversion.webhookClientConfig.caBundle: Invalid value: "Zm9v": unable to load root certificates: unable to parse bytes as PEM block',
    ],
    [
      'a webhook that nobody could trust before',
      { 'spec/conversion': converted('Zm9v'), 'status/conditions': [{ type: 'Established', status: 'True' }] },
      { 'spec/conversion': converted('YmFy') },
    ],
  ),
  ...changes(
    OF,
    [
      'another group',
      {},
      { 'spec/group': 'example.org' },
      'spec.group: Invalid value: "example.org": field is immutable',
    ],
    [
      'another scope once it is served',
      { 'status/conditions': [{ type: 'Established', status: 'True' }] },
      { 'spec/scope': 'Cluster' },
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ],
    ['another scope before', {}, { 'spec/scope': 'Cluster' }],
    [
      'two versions of a name, of which one is found among the stored',
      {},
      {
        'spec/versions/1': { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      },
      'spec.versions: Invalid value: [{"Name":"v1"…',
      'spec.versions: Invalid value: [{"Name":"v1"…',
      'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1',
    ],
    [
      'without a version that is stored',
      { 'status/storedVersions': ['v1', 'v0'] },
      {},
      'status.storedVersions[1]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  ),
  ...rows(OF, [
    'a group of the community',
    {
      'metadata/name': 'widgets.x.k8s.io',
      'spec/group': 'x.k8s.io',
      'metadata/annotations': { 'api-approved.kubernetes.io': 'yes' },
    },
    'metadata.annotations[api-approved.kubernetes.io]: Invalid value: "yes": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111',
  ]),
  ...rows(OF, [
    'defaults where unknown fields are kept',
    {
      'spec/preserveUnknownFields': true,
      'spec/versions/0/schema/openAPIV3Schema': { type: 'object', properties: { a: { type: 'string', default: 'x' } } },
    },
    'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
    'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
  ]),
]

describe.each([
  ['the structure of a schema (P-321, P-322)', STRUCTURE],
  ['the words of a schema (P-322)', WORDS],
  ['fields', FIELDS],
  ['changes and groups (W-616, W-617, P-307)', CHANGES],
])('%s', (_, list) => {
  it.each(list)('$case', judge)
})
