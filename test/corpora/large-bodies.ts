// Bodies as large as they may be, in every encoding and for every way to write: what could hold the event loop up for longest.
import type { ValueMap } from '../../src/api/value.ts'
import { encodeCbor } from '../../src/codec/cbor-encode.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import type { ServerCall } from '../rigs/running-server.ts'
import { kindOf } from './built-in-kinds.ts'

export interface LargeRequest extends ServerCall {
  readonly path: string
}

const MAX_BODY_BYTES = 3 * 1024 * 1024 - 4096
export const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'

/** As many things as make a JSON text of so many bytes. */
function filled<T>(bytes: number, make: (i: number) => T): T[] {
  const made: T[] = []
  for (let size = 0; size < bytes; size += JSON.stringify(made.at(-1)).length + 1) made.push(make(made.length))
  return made
}

const head = (kind: string, name: string): ValueMap => ({ kind, apiVersion: 'v1', metadata: { name } })

export function configMap(name: string, bytes: number, value = 'v'): ValueMap {
  return { ...head('ConfigMap', name), data: Object.fromEntries(filled(bytes, (i) => [`key-${i}`, value])) }
}

function pod(bytes: number): ValueMap {
  const env = filled(bytes, (i) => ({ name: `E${i}`, value: 'v' }))
  return { ...head('Pod', 'large'), spec: { containers: [{ name: 'c', image: 'i', env }] } }
}

const NAMESPACE = 'namespaces/default'
const REVIEWS = '/apis/authorization.k8s.io/v1'
const CIDRS = (i: number): string => `10.${(i >> 8) & 255}.${i & 255}.0/24`

/** The smallest definition with so many properties in so many levels. */
function nestedDefinition(properties: number, levels: number): ValueMap {
  const schema = (depth: number): ValueMap => {
    if (depth === 0) return { type: 'string' }
    const members = Array.from({ length: properties }, (_, i) => [`p${i}`, schema(depth - 1)])
    return { type: 'object', properties: Object.fromEntries(members) as ValueMap }
  }
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(levels) } }
  return {
    metadata: { name: 'larges.stall.example.com' },
    spec: {
      group: 'stall.example.com',
      scope: 'Namespaced',
      names: { plural: 'larges', singular: 'large', kind: 'Large', listKind: 'LargeList' },
      versions: [version],
    },
  }
}

function review(kind: string, selector: string, value: ValueMap): [string, ValueMap] {
  const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'default', [selector]: value }
  const spec = { ...(kind === 'self' ? {} : { user: 'u' }), resourceAttributes }
  const isLocal = kind === 'local'
  const metadata = isLocal ? { namespace: 'default' } : {}
  return [
    `${REVIEWS}/${isLocal ? `${NAMESPACE}/` : ''}${kind === '' ? '' : kind}subjectaccessreviews`,
    { metadata, spec },
  ]
}

/** Objects whose kind has to look at very much, with where each is created; an answer of 4xx is as good as another. */
export function largeObjects(): Readonly<Record<string, () => readonly [path: string, object: ValueMap]>> {
  const raw = (prefix: string, suffix: string): string =>
    filled(MAX_BODY_BYTES * 0.85, (i) => `${prefix}${i}${suffix}`).join(',')
  const pods = (spec: ValueMap): readonly [string, ValueMap] => [PODS, { metadata: { name: 'p' }, spec }]
  const env = (make: (i: number) => ValueMap): (() => readonly [string, ValueMap]) => {
    return () => pods({ containers: [{ name: 'c', image: 'i', env: filled(MAX_BODY_BYTES, make) }] })
  }
  const policy = (except: readonly string[]): readonly [string, ValueMap] => [
    `/apis/networking.k8s.io/v1/${NAMESPACE}/networkpolicies`,
    {
      metadata: { name: 'n' },
      spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.0/8', except } }] }] },
    },
  ]
  const cronJob = (schedule: string): readonly [string, ValueMap] => [
    `/apis/batch/v1/${NAMESPACE}/cronjobs`,
    {
      metadata: { name: 'c' },
      spec: {
        schedule,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
        },
      },
    },
  ]
  const owners = (more: ValueMap): (() => readonly [string, ValueMap]) => {
    const ownerReferences = Array.from({ length: 9000 }, (_, i) => ({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: `owner-${i}`,
      uid: `00000000-0000-0000-0000-${String(i).padStart(12, '0')}`,
      ...more,
    }))
    return () => [MAPS, { metadata: { name: 'm', ownerReferences } }]
  }
  return {
    'label selectors in a review': () => review('', 'labelSelector', { rawSelector: raw('!k', '') }),
    'label selectors in a review of oneself': () => review('self', 'labelSelector', { rawSelector: raw('k', '=v') }),
    'label selectors in a local review': () => review('local', 'labelSelector', { rawSelector: raw('k in (', ')') }),
    'field selectors in a review': () => review('self', 'fieldSelector', { rawSelector: raw('f', '=v') }),
    'one field selector in a review': () =>
      review('self', 'fieldSelector', { rawSelector: `f=${'\\,'.repeat(MAX_BODY_BYTES / 4)}` }),
    'requirements in a review': () =>
      review('self', 'labelSelector', {
        requirements: filled(MAX_BODY_BYTES, (i) => ({ key: `k${i}`, operator: 'Exists' })),
      }),
    'numbers in a schedule': () => cronJob(`${raw('', '')} * * * *`),
    'letters in a schedule': () => cronJob('x'.repeat(MAX_BODY_BYTES - 1000)),
    'fields in a schedule': () => cronJob('* '.repeat(MAX_BODY_BYTES / 2 - 1000)),
    'a zone in a schedule': () => cronJob(`TZ=${'a/'.repeat(MAX_BODY_BYTES / 2 - 1000)} * * * * *`),
    'exceptions of a network policy': () => policy(filled(MAX_BODY_BYTES, CIDRS)),
    'wrong exceptions of a network policy': () => policy(filled(MAX_BODY_BYTES, (i) => `x${i}`)),
    'exceptions outside of a network policy': () =>
      policy(filled(MAX_BODY_BYTES, (i) => `11.${(i >> 8) & 255}.${i & 255}.0/24`)),
    'audiences of a token': () => [
      `/api/v1/${NAMESPACE}/serviceaccounts/default/token`,
      { spec: { audiences: filled(MAX_BODY_BYTES, (i) => `a${i}`), expirationSeconds: 600 } },
    ],
    'properties of a definition': () => [
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      nestedDefinition(6, 6),
    ],
    'variables of one name': env(() => ({ name: 'E', value: 'v' })),
    'variables that refer to others': env((i) => ({ name: `E${i}`, value: '$(E0)' })),
    'owner references': owners({}),
    'owner references that control': owners({ controller: true }),
    'owner references of one owner': owners({ uid: 'u', name: 'n' }),
  }
}

type Write = (object: ValueMap) => string | Buffer

/** Blocks, as people write them. */
const yamlOf: Write = (object) => {
  const lines = (value: unknown, indent: string): string => {
    if (Array.isArray(value)) return value.map((item) => `${indent}-\n${lines(item, `${indent}  `)}`).join('')
    return Object.entries(value as ValueMap)
      .map(([key, member]) =>
        typeof member === 'object'
          ? `${indent}${key}:\n${lines(member, `${indent}  `)}`
          : `${indent}${key}: ${String(member)}\n`,
      )
      .join('')
  }
  return lines(object, '')
}

/** How much of an object in JSON makes a body as large as may be. */
const ENCODINGS: Readonly<Record<string, { readonly type: string; readonly share: number; readonly write: Write }>> = {
  JSON: { type: 'application/json', share: 1, write: (object) => JSON.stringify(object) },
  YAML: { type: 'application/yaml', share: 0.55, write: yamlOf },
  CBOR: {
    type: 'application/cbor',
    share: 1.2,
    write: (object) => encodeCbor(object, kindOf(object['kind'] as string)),
  },
  protobuf: {
    type: 'application/vnd.kubernetes.protobuf',
    share: 1.2,
    write: (object) => encodeProtobuf(kindOf(object['kind'] as string), object),
  },
}

/** Writes that change nothing, by name. `target` is a config map that is there. */
export function largeWrites(target: string): Readonly<Record<string, () => LargeRequest>> {
  const rows: Record<string, () => LargeRequest> = {}
  const row = (name: string, path: string, make: () => Omit<LargeRequest, 'path'>): void => {
    rows[name] = () => ({ path: `${path}${path.includes('?') ? '&' : '?'}dryRun=All`, ...make() })
  }
  const typed = (method: string, type: string, body: string | Buffer): Omit<LargeRequest, 'path'> => ({
    method,
    headers: { 'content-type': type, accept: 'application/json' },
    body,
  })
  for (const [name, { type, share, write }] of Object.entries(ENCODINGS)) {
    const bytes = MAX_BODY_BYTES * share
    row(`create of a pod in ${name}`, PODS, () => typed('POST', type, write(pod(bytes))))
    row(`update in ${name}`, `${MAPS}/${target}`, () => typed('PUT', type, write(configMap(target, bytes / 3, 'w'))))
  }
  const applied = `${MAPS}/${target}?fieldManager=m&force=true`
  const changes = configMap(target, MAX_BODY_BYTES / 3, 'w')
  row('apply of JSON', applied, () => typed('PATCH', 'application/apply-patch+yaml', JSON.stringify(changes)))
  row('apply of YAML', applied, () => typed('PATCH', 'application/apply-patch+yaml', yamlOf(changes)))
  row('apply of CBOR', applied, () => typed('PATCH', 'application/apply-patch+cbor', ENCODINGS['CBOR']!.write(changes)))
  for (const type of ['merge-patch', 'strategic-merge-patch']) {
    const body = (): string => JSON.stringify({ data: changes['data']! })
    row(type, `${MAPS}/${target}`, () => typed('PATCH', `application/${type}+json`, body()))
  }
  row('json-patch', `${MAPS}/${target}`, () => {
    const operations = Array.from({ length: 9_000 }, (_, i) => ({ op: 'add', path: `/data/key-${i}`, value: 'w' }))
    return typed('PATCH', 'application/json-patch+json', JSON.stringify(operations))
  })
  return rows
}
