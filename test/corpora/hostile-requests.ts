// Fields and bodies of requests that are made to cost a server much.

/** As much as fits into the 64 KiB that there are for fields. */
export const FULL_FIELDS: readonly (readonly [string, () => readonly (readonly [string, string])[]])[] = [
  ['an Accept of very many clauses', () => [['accept', 'a/b,'.repeat(15_000)]]],
  ['an Accept of very many parameters', () => [['accept', `a/b${';c=d'.repeat(15_000)}`]]],
  ['an Accept in very many lines', () => Array.from({ length: 900 }, () => ['accept', 'a/b;q=0.1'])],
  ['very many fields of different names', () => Array.from({ length: 900 }, (_, i) => [`x-${i}`, 'y'])],
  ['very many that impersonate', () => Array.from({ length: 900 }, (_, i) => [`impersonate-extra-${i}`, 'y'])],
  ['an Accept-Encoding of very many codings', () => [['accept-encoding', 'a,'.repeat(30_000)]]],
]

export interface HostileBody {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly type: string
  /** The same at every call. */
  readonly text: () => Buffer
}

const JSON_TYPE = 'application/json'
const YAML_TYPE = 'application/yaml'
/** What everybody who is known may send. */
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
const PODS = '/api/v1/namespaces/default/pods'
const MAP = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'
/** What a body has. There may be twelve times as much: how that is dealt with is shown in `stalls.test.ts`. */
const MOST_BYTES = 256 * 1024

interface Reviewed {
  readonly metadata?: object
  readonly attributes?: object
}

function review({ metadata = {}, attributes = {} }: Reviewed): string {
  const resourceAttributes = { verb: 'get', resource: 'pods', ...attributes }
  const spec = { resourceAttributes }
  return JSON.stringify({ kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', metadata, spec })
}

function items<Item>(count: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: count }, (_, at) => make(at))
}

function pod(spec: object): string {
  const containers = [{ name: 'a', image: 'a' }]
  return JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' }, spec: { containers, ...spec } })
}

/** A review in YAML whose metadata goes on with this, as often as there is room for it. */
function yamlReview(start: string, piece: (at: number) => string, end = ''): string {
  const head = `kind: SelfSubjectAccessReview\napiVersion: authorization.k8s.io/v1\nspec: {resourceAttributes: {verb: get, resource: pods}}\nmetadata:\n${start}`
  const count = Math.floor((MOST_BYTES - head.length - end.length) / piece(999_999).length)
  return `${head}${items(count, piece).join('')}${end}`
}

const REVIEWED: Readonly<Record<string, readonly [type: string, make: () => string | Buffer]>> = {
  'managedFields of very many entries': [
    JSON_TYPE,
    () => {
      const managedFields = items(2000, (at) => ({
        manager: `m${at}`,
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { [`f:a${at}`]: {} },
      }))
      return review({ metadata: { managedFields } })
    },
  ],
  'a label selector of very many requirements': [
    JSON_TYPE,
    () => {
      const requirements = items(4000, (at) => ({ key: `a${at}`, operator: 'In', values: ['b', 'c'] }))
      return review({ attributes: { labelSelector: { requirements } } })
    },
  ],
  'a label selector as text': [
    JSON_TYPE,
    () => review({ attributes: { labelSelector: { rawSelector: items(35_000, (at) => `a${at}`).join(',') } } }),
  ],
  'invalid UTF-8': [
    JSON_TYPE,
    () =>
      Buffer.concat([
        Buffer.from('{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{"name":"'),
        Buffer.alloc(MOST_BYTES, 0xff),
        Buffer.from('"}}'),
      ]),
  ],
  'members that are there twice': [
    JSON_TYPE,
    () => {
      const many = items(MOST_BYTES / 8, () => '"a":"b"').join(',')
      return `{"kind":"SelfSubjectAccessReview","metadata":{"annotations":{${many}}}}`
    },
  ],
  'lists within lists': [JSON_TYPE, () => `{"metadata":${'['.repeat(MOST_BYTES / 2)}${']'.repeat(MOST_BYTES / 2)}}`],
  'YAML that names a long text again and again': [
    YAML_TYPE,
    () => yamlReview(`  name: &a "${'x'.repeat(10_000)}"\n  annotations:\n`, (at) => `    k${at}: *a\n`),
  ],
  'YAML of very many keys in a block': [YAML_TYPE, () => yamlReview('  annotations:\n', (at) => `    k${at}: v\n`)],
  'YAML of very many keys in braces': [YAML_TYPE, () => yamlReview('  annotations: {', (at) => `k${at}: v, `, '}\n')],
  'YAML of a key that is there very often': [YAML_TYPE, () => yamlReview('  annotations:\n', () => '    key: v\n')],
  'YAML of very many anchors': [YAML_TYPE, () => yamlReview('  finalizers:\n', (at) => `    - &a${at} v\n`)],
}

const FORBIDDEN: readonly (readonly [string, Omit<HostileBody, 'name' | 'text'>, () => string])[] = [
  [
    'a JSON patch of ten thousand operations',
    { method: 'PATCH', path: MAP, type: 'application/json-patch+json' },
    () => JSON.stringify(items(10_000, (at) => ({ op: 'add', path: `/data/k${at}`, value: 'v' }))),
  ],
  [
    'a volume of eight thousand projections',
    { method: 'POST', path: PODS, type: JSON_TYPE },
    () => {
      const sources = items(8000, (at) => ({ configMap: { name: 'a', items: [{ key: `k${at}`, path: `p${at}` }] } }))
      return pod({ volumes: [{ name: 'a', projected: { sources } }] })
    },
  ],
  [
    'eight thousand topology constraints',
    { method: 'POST', path: PODS, type: JSON_TYPE },
    () => {
      const topologySpreadConstraints = items(8000, (at) => ({
        maxSkew: 1,
        topologyKey: `k${at}`,
        whenUnsatisfiable: 'DoNotSchedule',
      }))
      return pod({ topologySpreadConstraints })
    },
  ],
]

/** The first one is answered with all that it has. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  ...Object.entries(REVIEWED).map(([name, [type, make]]) => ({
    name,
    method: 'POST',
    path: REVIEWS,
    type,
    text: once(make),
  })),
  ...FORBIDDEN.map(([name, where, make]) => ({ name, ...where, text: once(make) })),
]

function once(make: () => string | Buffer): () => Buffer {
  let text: Buffer | undefined
  return () => (text ??= Buffer.from(make()))
}
