// Everything that a server of this API shows of what is stored: every list in every encoding, as of one revision, so that what
// two servers show of one etcd can be compared byte by byte.
import { setTimeout as delay } from 'node:timers/promises'
import type { JsonMap, PlainAnswer, PlainClient } from './plain-client.ts'

/** The path of every resource that can be listed, across all namespaces: `/apis/apps/v1/deployments`. */
export async function listablePaths(client: PlainClient): Promise<readonly string[]> {
  const { groups } = (await client.must('/apis')) as { groups: { versions: { groupVersion: string }[] }[] }
  const roots = [
    '/api/v1',
    ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`)),
  ]
  const paths: string[] = []
  for (const root of roots) {
    const answer = await client.send(root)
    // A group that another server serves, and that is not there.
    if (answer.status === 503) continue
    const { resources } = JSON.parse(answer.bytes.toString()) as { resources: { name: string; verbs: string[] }[] }
    for (const { name, verbs } of resources) if (verbs.includes('list')) paths.push(`${root}/${name}`)
  }
  // What is told of components is looked at and not stored.
  return paths.filter((path) => path !== '/api/v1/componentstatuses').sort()
}

const AS_TABLE = 'as=Table;v=v1;g=meta.k8s.io'
const AS_METADATA = 'as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
const PROTOBUF = 'application/vnd.kubernetes.protobuf'

export const OBJECT_ENCODINGS: readonly string[] = ['application/json', 'application/yaml', PROTOBUF]

const ENCODINGS: readonly string[] = [
  ...OBJECT_ENCODINGS,
  `application/json;${AS_TABLE}`,
  `application/json;${AS_METADATA}`,
  `${PROTOBUF};${AS_METADATA}`,
]

/** By path and encoding, in a form that two servers have in common. */
export type Shown = ReadonlyMap<string, string>

/** All lists as of a revision. */
export async function listsAt(
  client: PlainClient,
  paths: readonly string[],
  revision: string,
  encodings = ENCODINGS,
): Promise<Shown> {
  const shown = new Map<string, string>()
  for (const path of paths) {
    for (const accept of encodings) {
      if (NOT_ALIKE.some((one) => one.path.test(path) && one.accept.test(accept))) continue
      const target = `${path}?resourceVersion=${revision}&resourceVersionMatch=Exact`
      const { status, bytes } = await patiently(() => client.send(target, { accept }))
      shown.set(`${path} ${accept}`, `${status} ${status === 200 ? comparable(bytes, accept) : ''}`)
    }
  }
  return shown
}

/** The reference says so of custom resources until it has loaded them. */
const TOO_EARLY = 429

async function patiently(ask: () => Promise<PlainAnswer>): Promise<PlainAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await ask()
    if (answer.status !== TOO_EARLY || attempt === 100) return answer
    await delay(100)
  }
}

/** Where the two servers differ whoever has stored the objects. */
const NOT_ALIKE: readonly { readonly path: RegExp; readonly accept: RegExp; readonly why: string }[] = [
  { path: /\/(daemonsets|v1\/horizontalpodautoscalers)$/, accept: /as=/, why: 'an annotation that conversion makes' },
  { path: /\/flowschemas$/, accept: /as=Table/, why: 'the reference sorts the rows by precedence' },
  { path: /\/v1beta1\/widgets$/, accept: /./, why: 'the webhook that converts it is not there' },
  { path: /\/widgets$/, accept: /as=Table/, why: 'D11: the default table of custom resources' },
]

/** The state that a watch of each resource begins with, one line or message an object. */
export async function statesOf(client: PlainClient, paths: readonly string[]): Promise<Shown> {
  const shown = new Map<string, string>()
  for (const path of paths) {
    for (const accept of ['application/json', `${PROTOBUF};stream=watch`]) {
      const state = await stateOf(client, path, accept)
      shown.set(`${path} ${accept}`, state === undefined ? 'none' : state.sort().join('\n'))
    }
  }
  return shown
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

/** Undefined where there is no watch in this encoding. */
async function stateOf(client: PlainClient, path: string, accept: string): Promise<string[] | undefined> {
  const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const response = await client.open(`${path}?${query}&timeoutSeconds=60`, { accept })
  const isProtobuf = accept.startsWith(PROTOBUF)
  try {
    if (response.statusCode !== 200) return undefined
    let bytes = Buffer.alloc(0)
    for await (const chunk of response) {
      bytes = Buffer.concat([bytes, chunk as Buffer])
      const frames = isProtobuf ? messagesIn(bytes) : bytes.toString().split('\n').slice(0, -1)
      const end = frames.findIndex((frame) => textOf(frame, isProtobuf).includes(INITIAL_EVENTS_END))
      if (end >= 0) return frames.slice(0, end)
    }
    throw new Error(`the watch of ${path} ended before its state did`)
  } finally {
    response.destroy()
  }
}

function textOf(frame: string, isHex: boolean): string {
  return isHex ? Buffer.from(frame, 'hex').toString('latin1') : frame
}

/** Each behind its length; those that are complete. */
function messagesIn(bytes: Buffer): string[] {
  const messages: string[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    messages.push(bytes.toString('hex', at + 4, end))
    at = end
  }
  return messages
}

/** What is not the same, in short: where, and the two texts from where they part. */
export function differences(theirs: Shown, ours: Shown): readonly string[] {
  return [...theirs].flatMap(([place, text]) => {
    const other = ours.get(place) ?? ''
    if (text === other) return []
    let at = 0
    while (text[at] === other[at]) at++
    const from = Math.max(0, at - 60)
    return [`${place}\n  theirs: ${text.slice(from, at + 120)}\n  ours:   ${other.slice(from, at + 120)}`]
  })
}

/** The newest revision of a server, as a list tells it. */
export async function revisionOf(client: PlainClient): Promise<string> {
  const { metadata } = (await client.must('/api/v1/namespaces?limit=1')) as { metadata: { resourceVersion: string } }
  return metadata.resourceVersion
}

/** Lists of ours always say `continue` (D4), its columns are described in other words, and ages go on while we look. */
function comparable(bytes: Buffer, accept: string): string {
  if (accept.startsWith(PROTOBUF)) return bytes.toString('hex')
  const text = bytes.toString()
  if (accept.includes(AS_TABLE)) return sorted(withoutWords(JSON.parse(text) as Table))
  // Of custom resources our metadata stands in the order of its names. The reference has no items of an empty list (D31).
  if (accept.includes(AS_METADATA)) {
    const list = JSON.parse(text.replace(',"continue":""', '')) as JsonMap
    return sorted({ ...list, items: list['items'] ?? [] })
  }
  return text.replace(',"continue":""', '').replace('  continue: ""\n', '')
}

function sorted(document: JsonMap): string {
  return JSON.stringify(document, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}

interface Table extends JsonMap {
  readonly metadata: JsonMap
  readonly columnDefinitions: readonly JsonMap[]
  /** The reference has none of no definitions (D31). */
  readonly rows: readonly { readonly cells: readonly unknown[] }[] | null
}

function withoutWords(table: Table): JsonMap {
  const { continue: _, ...metadata } = table.metadata
  const columnDefinitions = table.columnDefinitions.map(({ description: _words, ...column }) => column)
  const rows = (table.rows ?? []).map((row) => ({
    ...row,
    cells: row.cells.map((cell) => (isAge(cell) ? '<age>' : cell)),
  }))
  return { ...table, metadata, columnDefinitions, rows }
}

function isAge(cell: unknown): boolean {
  return typeof cell === 'string' && /^(?:\d+[smhdy])+$/.test(cell)
}
