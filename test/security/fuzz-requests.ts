// Makes up requests: paths of resources that are served and paths that are nothing, with parameters, headers and bodies
// that are right, nearly right, or nonsense. The same seed makes the same requests.

export interface FuzzRequest {
  readonly method: string
  readonly target: string
  readonly user: FuzzUser
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** What it asks for, where it is a plain request for a resource. */
  readonly access: FuzzAccess | undefined
}

export type FuzzUser = 'admin' | 'limited' | 'stranger'

export interface FuzzAccess {
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/status`. */
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

export interface FuzzResource {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
  readonly namespaced: boolean
  readonly subresources: readonly string[]
}

/** What was seen in answers, to be sent again with changes. */
export class Seen {
  readonly objects = new Map<string, unknown>()
  readonly binary: Buffer[] = []
  readonly tokens: string[] = []

  keepObject(kind: string, object: unknown): void {
    if (this.objects.size < 500) this.objects.set(kind, object)
  }

  keepBinary(bytes: Buffer): void {
    if (bytes.length < 10_000 && this.binary.length < 200) this.binary.push(bytes)
  }

  keepToken(text: string): void {
    if (this.tokens.length < 50) this.tokens.push(text)
  }
}

export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** From 0 up to and without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }

  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!
  }
}

const NAMES: readonly string[] = ['a', 'b', 'c', 'kubernetes', 'default', 'x.y-z', 'cluster-admin', 'exempt']
const NAMESPACES: readonly string[] = ['default', 'fuzz', 'fuzz', 'kube-system', 'nope']
const ODD: readonly string[] = [
  '',
  '.',
  '..',
  '...',
  '%',
  '%2e%2e',
  '%00',
  '\u0000',
  '/',
  '//',
  'a/b',
  'A_B',
  '-',
  'x'.repeat(300),
  'é',
  '\u202e',
  '😀',
  "'",
  '"',
  '\\',
  '<script>',
  '{}',
  '[]',
  'null',
  '0',
  '-1',
  '1e400',
  '9'.repeat(40),
  '__proto__',
  'constructor',
  'toString',
  ' ',
  '\t',
  '\n',
  '$(id)',
  '*',
  '?',
  '#',
  ';',
  ',',
  '=',
  '!=',
  'a=b,c in (d',
  'in (',
  '\ud800',
]
const METHODS: readonly string[] = [
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
]
const PATHS: readonly string[] = [
  '/',
  '/api',
  '/apis',
  '/version',
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/metrics/slis',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/api/v1',
  '/debug/api_priority_and_fairness/dump_queues',
  '/.well-known/openid-configuration',
  '/openid/v1/jwks',
  '/api/v1/watch',
  '/api/v1/watch/pods',
  '/api/v1/proxy',
  '/nope',
  '/apis/apps',
  '/apis/apps/v1',
  '/apis/nope/v1/things',
  '//api//v1',
]
const ACCEPTS: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  '*/*',
  '',
  'nonsense',
  'a/b;q=x',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf;stream=watch',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1,application/json',
]
const TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/cbor',
  'text/plain',
  '',
]
const PATCHES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
]
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  limit: ['1', '3', '0', '-1', 'x'],
  continue: ['x', 'eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJhIn0'],
  resourceVersion: ['0', '1', '5', '999999999', '-1', 'x', '18446744073709551616'],
  resourceVersionMatch: ['Exact', 'NotOlderThan', 'x'],
  labelSelector: ['a=b', 'a', '!a', 'a in (b,c)', 'a notin (b)', 'x/y=z', 'a==b,c!=d'],
  fieldSelector: ['metadata.name=a', 'metadata.namespace!=x', 'status.phase=Running', 'spec.nodeName=', 'x=y'],
  watch: ['1', 'true', '0', 'x'],
  timeoutSeconds: ['1', '0', '-1', 'x'],
  timeout: ['1s', '10ms', '0', 'x'],
  dryRun: ['All', 'x'],
  fieldManager: ['fuzz', '', 'x'.repeat(200)],
  fieldValidation: ['Strict', 'Warn', 'Ignore', 'x'],
  force: ['true', 'false', 'x'],
  pretty: ['true', ''],
  propagationPolicy: ['Orphan', 'Background', 'Foreground', 'x'],
  gracePeriodSeconds: ['0', '30', '-1', 'x'],
  orphanDependents: ['true', 'x'],
  sendInitialEvents: ['true', 'false', 'x'],
  allowWatchBookmarks: ['true', 'x'],
  includeObject: ['None', 'Metadata', 'Object', 'x'],
  ignoreStoreReadErrorWithClusterBreakingPotential: ['true'],
  container: ['c', ''],
  follow: ['true'],
  exclude: ['etcd', 'x'],
  verbose: [''],
}
const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

export class RequestMaker {
  readonly #dice: Dice
  readonly #resources: readonly FuzzResource[]
  readonly #seen: Seen

  constructor(dice: Dice, resources: readonly FuzzResource[], seen: Seen) {
    this.#dice = dice
    this.#resources = resources
    this.#seen = seen
  }

  make(): FuzzRequest {
    const dice = this.#dice
    const method = dice.pick(METHODS)
    const user = dice.pick<FuzzUser>(['admin', 'admin', 'limited', 'limited', 'stranger'])
    if (dice.chance(0.12)) return this.#plain(method, user)
    const resource = dice.pick(this.#resources)
    const place = this.#place(resource, method)
    // What the limited user may do stays as it is, or nobody could say what is right.
    const isFixed = resource.group.startsWith('rbac.') || resource.resource === 'namespaces'
    const query = [this.#query(), ...(isFixed && method !== 'GET' ? ['dryRun=All'] : [])]
      .filter((part) => part !== '')
      .join('&')
    const asksWatch = method === 'GET' && place.name === '' && /(^|&)watch(=(1|true|)(&|$)|&|$)/.test(query)
    const isOdd =
      place.isOdd || /[?&]watch=(?!(1|true)(&|$))/.test(`?${query}`) || method === 'HEAD' || method === 'OPTIONS'
    const verb = collectionVerb(VERBS[method], place.name, asksWatch)
    const sub = place.subresource === '' ? '' : `/${place.subresource}`
    const isPlain = !isOdd && verb !== undefined
    return {
      method,
      target: query === '' ? place.path : `${place.path}?${query}`,
      user,
      ...this.#content(method, resource),
      // The options of a delete that are in its body stand alone: those of the address, the dry run among them, are not read.
      ...(isFixed && method === 'DELETE' ? { body: undefined } : {}),
      access: isPlain
        ? {
            verb,
            group: resource.group,
            resource: `${resource.resource}${sub}`,
            namespace: place.namespace,
            name: place.name,
          }
        : undefined,
    }
  }

  #plain(method: string, user: FuzzUser): FuzzRequest {
    const path = this.#dice.chance(0.8) ? this.#dice.pick(PATHS) : `/${this.#odd()}`
    const query = this.#query()
    const target = query === '' ? path : `${path}?${query}`
    return { method, target, user, headers: this.#headers(), body: undefined, access: undefined }
  }

  #place(resource: FuzzResource, method: string) {
    const dice = this.#dice
    const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
    const namespace = resource.namespaced && !dice.chance(0.1) ? dice.pick(NAMESPACES) : ''
    const hasName = method === 'POST' ? dice.chance(0.1) : dice.chance(0.7)
    let isOdd = false
    let name = ''
    if (hasName) {
      isOdd = dice.chance(0.08)
      name = isOdd ? this.#odd() : dice.pick(NAMES)
    }
    const subresource =
      hasName && dice.chance(0.3) ? dice.pick([...resource.subresources, ...resource.subresources, 'nope']) : ''
    const parts = [
      ...(namespace === '' ? [] : ['namespaces', namespace]),
      resource.resource,
      ...(hasName ? [name] : []),
      ...(subresource === '' ? [] : [subresource]),
    ]
    // What begins with `namespaces/x` is about the namespace itself.
    const isSpecial = resource.resource === 'namespaces' && resource.group === ''
    return { path: `${base}/${parts.join('/')}`, namespace: isSpecial ? name : namespace, name, subresource, isOdd }
  }

  #query(): string {
    const dice = this.#dice
    const parts: string[] = []
    while (dice.chance(0.4) && parts.length < 6) {
      const [name, values] = dice.pick(Object.entries(PARAMETERS))
      const tokens = name === 'continue' && this.#seen.tokens.length > 0 ? this.#seen.tokens : values
      const value = dice.chance(0.08) ? this.#odd() : encodeURIComponent(dice.pick(tokens))
      parts.push(`${name}=${value}`)
    }
    return parts.join('&')
  }

  /** Encoded so that it can stand in a path, mostly. */
  #odd(): string {
    const text = this.#dice.pick(ODD)
    try {
      return encodeURIComponent(text)
    } catch {
      return '%ED%A0%80'
    }
  }

  #headers(): Record<string, string> {
    const dice = this.#dice
    const headers: Record<string, string> = {}
    if (dice.chance(0.6)) headers['accept'] = dice.pick(ACCEPTS)
    if (dice.chance(0.1)) headers['accept-encoding'] = dice.pick(['gzip', 'br', 'gzip;q=0', 'x'])
    if (dice.chance(0.05))
      headers['impersonate-user'] = dice.pick(['someone', 'system:serviceaccount:default:default', ''])
    if (dice.chance(0.03)) headers['impersonate-group'] = dice.pick(['system:masters', 'x', ''])
    if (dice.chance(0.03)) headers['impersonate-uid'] = 'x'
    if (dice.chance(0.05)) headers['audit-id'] = dice.pick(['x', 'y'.repeat(500), '{"a":1}'])
    if (dice.chance(0.05)) headers['x-forwarded-for'] = dice.pick(['1.2.3.4', 'x, ::1', ','])
    if (dice.chance(0.05)) headers['if-none-match'] = '"x"'
    return headers
  }

  #content(method: string, resource: FuzzResource): Pick<FuzzRequest, 'headers' | 'body'> {
    const dice = this.#dice
    const headers = this.#headers()
    if (method === 'PATCH') {
      headers['content-type'] = dice.chance(0.95) ? dice.pick(PATCHES) : dice.pick(TYPES)
      return { headers, body: Buffer.from(this.#patch(headers['content-type'], resource)) }
    }
    const hasBody = method === 'POST' || method === 'PUT' || (method === 'DELETE' && dice.chance(0.4))
    if (!hasBody) return { headers, body: undefined }
    if (dice.chance(0.15) && this.#seen.binary.length > 0) {
      headers['content-type'] = dice.chance(0.9) ? 'application/vnd.kubernetes.protobuf' : 'application/cbor'
      return { headers, body: this.#corrupted(dice.pick(this.#seen.binary)) }
    }
    headers['content-type'] = dice.chance(0.8) ? dice.pick(['application/json', 'application/yaml']) : dice.pick(TYPES)
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: this.#value(1),
      preconditions: this.#value(2),
    }
    const bytes = Buffer.from(JSON.stringify(method === 'DELETE' ? options : this.#object(resource)))
    return { headers, body: dice.chance(0.05) ? this.#corrupted(bytes) : bytes }
  }

  #object(resource: FuzzResource): unknown {
    const dice = this.#dice
    const known = this.#seen.objects.get(resource.kind)
    if (known !== undefined && dice.chance(0.7)) return this.#changed(structuredClone(known))
    const metadata = {
      name: dice.chance(0.9) ? dice.pick(NAMES) : this.#value(1),
      ...(dice.chance(0.3) ? { labels: this.#value(2) } : {}),
      ...(dice.chance(0.2) ? { annotations: this.#value(2) } : {}),
      ...(dice.chance(0.1) ? { finalizers: [dice.pick(ODD)] } : {}),
      ...(dice.chance(0.1) ? { ownerReferences: this.#value(3) } : {}),
      ...(dice.chance(0.1) ? { generateName: 'g-' } : {}),
      ...(dice.chance(0.1) ? { resourceVersion: dice.pick(['1', '', 'x']) } : {}),
      ...(dice.chance(0.1) ? { managedFields: this.#value(3) } : {}),
      ...(dice.chance(0.05) ? { deletionTimestamp: '2020-01-01T00:00:00Z' } : {}),
    }
    const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
    return {
      kind: resource.kind,
      apiVersion,
      metadata,
      spec: this.#value(4),
      data: this.#value(2),
      status: this.#value(3),
    }
  }

  /** One or a few members replaced. */
  #changed(object: unknown): unknown {
    for (let i = 0; i < 1 + this.#dice.below(3); i++) {
      let at = object
      for (let depth = 0; depth < 6; depth++) {
        if (typeof at !== 'object' || at === null) break
        const keys = Object.keys(at)
        const key = keys.length === 0 ? 'x' : this.#dice.pick(keys)
        const inner: unknown = (at as Record<string, unknown>)[key]
        if (typeof inner === 'object' && inner !== null && this.#dice.chance(0.7)) at = inner
        else {
          Object.assign(at, { [key]: this.#value(3) })
          break
        }
      }
    }
    return object
  }

  #value(depth: number): unknown {
    const dice = this.#dice
    const kind = dice.below(depth > 0 ? 9 : 6)
    if (kind === 0) return dice.pick(ODD)
    if (kind === 1) return dice.pick([0, -1, 1.5, 2 ** 31, 2 ** 53, 1e300, 8080])
    if (kind === 2) return dice.chance(0.5)
    if (kind === 3) return null
    if (kind < 6)
      return dice.pick([
        'a',
        'b',
        '1',
        '100m',
        '1Gi',
        'Always',
        'TCP',
        '10.0.0.1',
        '2020-01-01T00:00:00Z',
        'IfNotPresent',
      ])
    if (kind === 6) return Array.from({ length: dice.below(3) }, () => this.#value(depth - 1))
    const keys = [
      'a',
      'name',
      'spec',
      'key',
      'value',
      'containers',
      'image',
      'template',
      'selector',
      'matchLabels',
      '__proto__',
      'rules',
      'ports',
    ]
    return Object.fromEntries(Array.from({ length: dice.below(4) }, () => [dice.pick(keys), this.#value(depth - 1)]))
  }

  #patch(type: string, resource: FuzzResource): string {
    const dice = this.#dice
    if (!type.includes('json-patch')) {
      const extra = dice.chance(0.2)
        ? { $patch: dice.pick(['replace', 'delete', 'merge', 'x']), $setElementOrder: this.#value(2) }
        : {}
      return JSON.stringify({ ...(this.#object(resource) as object), ...extra })
    }
    const paths = [
      '/metadata/name',
      '/metadata/labels/a',
      '/spec',
      '/data/k',
      '/spec/x/-',
      '',
      '/',
      '/a~1b',
      '/a~2',
      '/metadata/labels',
      '/status/x',
      'x',
    ]
    const operations = Array.from({ length: dice.below(5) }, () => ({
      op: dice.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
      path: dice.pick(paths),
      from: dice.pick(paths),
      value: this.#value(2),
    }))
    return JSON.stringify(dice.chance(0.95) ? operations : this.#value(2))
  }

  #corrupted(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes)
    for (let i = 0; i < this.#dice.below(4) && copy.length > 0; i++)
      copy[this.#dice.below(copy.length)] = this.#dice.below(256)
    return this.#dice.chance(0.2) ? copy.subarray(0, this.#dice.below(copy.length + 1)) : copy
  }
}

function collectionVerb(verb: string | undefined, name: string, asksWatch: boolean): string | undefined {
  if (name !== '') return verb
  if (verb === 'get') return asksWatch ? 'watch' : 'list'
  return verb === 'delete' ? 'deletecollection' : verb
}
