// Requests with as much in their query, their headers or the body of a subresource as a server lets in, by where it is.
import type { HostileRequest, HostileRow } from '../rigs/hostile-cost.ts'
import { DRY, filled, MAPS, PODS } from './hostile-rows.ts'

/** Paths and headers come to no more, whatever the table is asked for. */
const MOST_BYTES = 48 * 1024
const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/target'

const MAP = JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm' } })

const texts = (bytes: number, make: (i: number) => string): readonly string[] =>
  filled(Math.min(bytes, MOST_BYTES), make) as string[]
const joined = (bytes: number, make: (i: number) => string, by = ','): string => texts(bytes, make).join(by)
const letters = (bytes: number, text = 'x'): string => text.repeat(Math.min(bytes, MOST_BYTES) / text.length)
const nested = (bytes: number): string => Buffer.from(letters(bytes * 0.7, '[')).toString('base64url')

/** Parameters, by what is in them. */
const PARAMETERS: Readonly<Record<string, (bytes: number) => string>> = {
  'labels that are not there': (n) => `labelSelector=${joined(n, (i) => `!k${i}`)}`,
  'labels with values': (n) => `labelSelector=${joined(n, (i) => `k${i}!=v`)}`,
  'values of a label': (n) => `labelSelector=k+in+(${joined(n, (i) => `v${i}`)})`,
  'values that a label has not': (n) => `labelSelector=k+notin+(${joined(n, (i) => `v${i}`)})`,
  'requirements of one label': (n) => `labelSelector=${joined(n, (i) => `k!=v${i}`)}`,
  'open brackets in a label selector': (n) => `labelSelector=${letters(n, '(')}`,
  'spaces in a label selector': (n) => `labelSelector=a${letters(n, '+')}b`,
  'commas in a label selector': (n) => `labelSelector=${letters(n, ',')}`,
  'fields of one name': (n) => `fieldSelector=${joined(n, (i) => `metadata.name!=n${i}`)}`,
  'fields of no kind': (n) => `fieldSelector=${joined(n, (i) => `a${i}=b`)}`,
  'backslashes in a field selector': (n) => `fieldSelector=metadata.name=${letters(n, '%5C%5C')}`,
  'letters of a continue token': (n) => `continue=${letters(n)}`,
  'lists in a continue token': (n) => `limit=1&continue=${nested(n)}`,
  'digits of a limit': (n) => `limit=${letters(n, '9')}`,
  'digits of a version': (n) => `resourceVersion=${letters(n, '9')}`,
  'letters of a version match': (n) => `resourceVersion=1&resourceVersionMatch=${letters(n)}`,
  'digits of a timeout': (n) => `timeout=${letters(n, '9')}s`,
  'parts of a timeout': (n) => `timeout=${letters(n, '1ms')}`,
  'digits of seconds': (n) => `timeoutSeconds=${letters(n, '1')}`,
  'names that nothing knows': (n) => joined(n, (i) => `a${i}=`, '&'),
  'one name again and again': (n) => joined(n, () => 'labelSelector=a', '&'),
  ampersands: (n) => letters(n, '&'),
  escapes: (n) => `labelSelector=${letters(n, '%41')}`,
  'escapes that are wrong': (n) => `labelSelector=${letters(n, '%4')}`,
  'letters of what is pretty': (n) => `pretty=${letters(n)}`,
}

const WRITTEN: Readonly<Record<string, (bytes: number) => string>> = {
  'dry runs': (n) => joined(n, () => 'dryRun=All', '&'),
  'letters of a manager': (n) => `fieldManager=${letters(n)}`,
  'letters that are not printed, of a manager': (n) => `fieldManager=${letters(n, '%01')}`,
  'letters of a validation': (n) => `fieldValidation=${letters(n)}`,
}

/** Headers, by what is in them. */
const HEADERS: Readonly<Record<string, (bytes: number) => Readonly<Record<string, string>>>> = {
  'clauses of accept': (n) => ({ accept: joined(n, (i) => `a/b${i}`) }),
  'clauses of accept that are known': (n) => ({ accept: joined(n, () => 'application/yaml;q=0.1') }),
  'parameters of accept': (n) => ({ accept: `application/json;${joined(n, (i) => `p${i}=v`, ';')}` }),
  'tables in accept': (n) => ({ accept: joined(n, () => 'application/json;as=Table;v=v9;g=meta.k8s.io') }),
  'semicolons in accept': (n) => ({ accept: `application/json${letters(n, ';')}` }),
  codings: (n) => ({ 'accept-encoding': joined(n, (i) => `c${i};q=0.${i}`) }),
  'parameters of a content type': (n) => ({ 'content-type': `application/json;${joined(n, (i) => `p${i}=v`, ';')}` }),
  'quotes in a content type': (n) => ({ 'content-type': `application/json;a="${letters(n, '\\"')}` }),
  'letters of an agent': (n) => ({ 'user-agent': letters(n) }),
  'slashes of an agent': (n) => ({ 'user-agent': letters(n, '/(') }),
  'entity tags': (n) => ({ 'if-none-match': joined(n, (i) => `"${i}"`) }),
  ranges: (n) => ({ range: `bytes=${joined(n, (i) => `${i}-${i}`)}` }),
  cookies: (n) => ({ cookie: joined(n, (i) => `c${i}=v`, '; ') }),
  'addresses of proxies': (n) => ({ 'x-forwarded-for': joined(n, (i) => `10.0.0.${i}`) }),
  'hosts that a request went through': (n) => ({ forwarded: joined(n, (i) => `for=h${i};by=x`) }),
  'members of a trace state': (n) => ({ traceparent: letters(n, '0-'), tracestate: joined(n, (i) => `a${i}=b`) }),
  baggage: (n) => ({ baggage: joined(n, (i) => `a${i}=b`) }),
  'letters of an audit ID': (n) => ({ 'audit-id': letters(n) }),
  'letters of an origin': (n) => ({ origin: `https://${letters(n, 'a.')}` }),
  'letters of an impersonated user': (n) => ({ 'impersonate-user': letters(n) }),
  'colons of an impersonated user': (n) => ({ 'impersonate-user': `system:serviceaccount${letters(n, ':')}` }),
  'groups of an impersonated user': (n) => ({
    'impersonate-user': 'jane',
    'impersonate-group': joined(n, (i) => `g${i}`),
  }),
  'extra of an impersonated user': (n) => ({
    'impersonate-user': 'jane',
    ...Object.fromEntries(texts(n / 3, (i) => `impersonate-extra-a${i}`).map((name) => [name, 'v'])),
  }),
  'names of headers': (n) => Object.fromEntries(texts(n / 4, (i) => `x-${i}`).map((name) => [name, 'v'])),
}

/** Tokens, by what is in them. */
const TOKENS: Readonly<Record<string, (bytes: number) => string>> = {
  letters: (n) => letters(n),
  dots: (n) => letters(n, '.'),
  'a claim with lists in lists': (n) => `${unsigned({ alg: 'RS256', kid: 'k' })}.${nested(n)}.c2ln`,
  'very many claims': (n) => {
    const claims = Object.fromEntries(texts(n / 4, (i) => `c${i}`).map((name) => [name, 'v']))
    return `${unsigned({ alg: 'RS256', kid: 'k' })}.${unsigned({ iss: 'x', ...claims })}.c2ln`
  },
  'very many audiences': (n) =>
    `${unsigned({ alg: 'RS256', kid: 'k' })}.${unsigned({ iss: 'https://kubernetes.default.svc', aud: texts(n / 2, (i) => `a${i}`) })}.c2ln`,
  'a key that is not known': (n) => `${unsigned({ alg: 'RS256', kid: letters(n / 2) })}.${unsigned({})}.c2ln`,
}

function unsigned(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

const get = (path: string, headers: HostileRequest['headers'] = {}): HostileRequest => ({ path, headers })

function mapped<T>(
  table: Readonly<Record<string, T>>,
  place: string,
  row: (make: T) => HostileRow,
): [string, HostileRow][] {
  return Object.entries(table).map(([name, make]) => [`${name}, ${place}`, row(make)])
}

export const QUERIES: Readonly<Record<string, HostileRow>> = Object.fromEntries([
  ...mapped(PARAMETERS, 'of a list', (make) => (n) => get(`${MAPS}?${make(n)}`)),
  ...mapped(PARAMETERS, 'of a deletion', (make) => (n) => ({ path: `${MAPS}?${DRY}&${make(n)}`, method: 'DELETE' })),
  ...mapped(WRITTEN, 'of a create', (make) => (n) => ({
    path: `${MAPS}?${DRY}&${make(n)}`,
    method: 'POST',
    body: MAP,
  })),
] satisfies [string, HostileRow][])

export const HEADS: Readonly<Record<string, HostileRow>> = Object.fromEntries([
  ...mapped(HEADERS, 'of a get', (make) => (n) => get(`${MAPS}/target`, make(n))),
  ...mapped(HEADERS, 'of a create', (make) => (n) => ({
    path: `${MAPS}?${DRY}`,
    method: 'POST',
    headers: make(n),
    body: MAP,
  })),
  ...mapped(TOKENS, 'in a token', (make) => (n) => ({ path: MAPS, token: make(n) })),
] satisfies [string, HostileRow][])

type Change = readonly [method: string, path: string, body: (bytes: number) => object]

const meta = (name: string, more: object = {}): object => ({ metadata: { name, ...more } })
const CORE = { apiVersion: 'v1' }
const condition = (i: number): object => ({ type: `t${i}`, status: 'True' })

/** Bodies of subresources, by what is in them. */
const CHANGES: Readonly<Record<string, Change>> = {
  'conditions of a status': [
    'PATCH',
    `${PODS}/target/status`,
    (n) => ({ status: { conditions: filled(n, condition) } }),
  ],
  'containers of a status': [
    'PATCH',
    `${PODS}/target/status`,
    (n) => ({
      status: {
        containerStatuses: filled(n, (i) => ({ name: `c${i}`, image: 'i', imageID: '', ready: true, restartCount: 0 })),
      },
    }),
  ],
  'containers that are added': [
    'PATCH',
    `${PODS}/target/ephemeralcontainers`,
    (n) => ({ spec: { ephemeralContainers: filled(n, (i) => ({ name: `e${i}`, image: 'i' })) } }),
  ],
  'containers that are resized': [
    'PATCH',
    `${PODS}/target/resize`,
    (n) => ({ spec: { containers: filled(n, (i) => ({ name: `c${i}`, resources: { limits: { cpu: '1' } } })) } }),
  ],
  'annotations of an eviction': [
    'POST',
    `${PODS}/target/eviction`,
    (n) => ({ kind: 'Eviction', apiVersion: 'policy/v1', ...meta('target', { annotations: pairs(n) }) }),
  ],
  'annotations of a binding': [
    'POST',
    `${PODS}/target/binding`,
    (n) => ({ kind: 'Binding', ...CORE, ...meta('target', { annotations: pairs(n) }), target: { name: 'n' } }),
  ],
  'audiences of a token': [
    'POST',
    '/api/v1/namespaces/default/serviceaccounts/default/token',
    (n) => ({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec: { audiences: filled(n, (i) => `a${i}`) },
    }),
  ],
  'letters of a selector of a scale': [
    'PUT',
    `${DEPLOYMENT}/scale`,
    (n) => ({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      ...meta('target', { namespace: 'default' }),
      spec: { replicas: 1 },
      status: { replicas: 1, selector: 'x'.repeat(n) },
    }),
  ],
  'conditions of a deployment': [
    'PATCH',
    `${DEPLOYMENT}/status`,
    (n) => ({ status: { conditions: filled(n, condition) } }),
  ],
  'finalizers of a namespace': [
    'PUT',
    '/api/v1/namespaces/default/finalize',
    (n) => ({ kind: 'Namespace', ...CORE, ...meta('default'), spec: { finalizers: filled(n, (i) => `a.b/${i}`) } }),
  ],
  'conditions of a namespace': [
    'PATCH',
    '/api/v1/namespaces/default/status',
    (n) => ({ status: { conditions: filled(n, condition) } }),
  ],
  'quantities of a quota': [
    'PATCH',
    '/api/v1/namespaces/default/resourcequotas/target/status',
    (n) => ({ status: { used: Object.fromEntries(Object.keys(pairs(n)).map((name) => [`count/${name}.x`, '1'])) } }),
  ],
  'conditions of a definition': [
    'PATCH',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/samples.hostile.example.com/status',
    (n) => ({ status: { conditions: filled(n, condition) } }),
  ],
}

function pairs(bytes: number): Readonly<Record<string, string>> {
  return Object.fromEntries(filled(bytes, (i) => [`k${i}`, '']) as [string, string][])
}

export const SUBRESOURCES: Readonly<Record<string, HostileRow>> = Object.fromEntries(
  Object.entries(CHANGES).map(([name, [method, path, body]]): [string, HostileRow] => [
    name,
    (n) => ({
      path: `${path}?${DRY}`,
      method,
      headers: { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' },
      body: JSON.stringify(body(n)),
    }),
  ]),
)
