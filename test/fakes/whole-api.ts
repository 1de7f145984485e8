// Everything that a server of this API shows of what is stored: every list in every encoding, as of one revision, so that what
// two servers show of one etcd can be compared byte by byte.
import type { JsonMap, PlainClient } from './plain-client.ts'

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

export const ENCODINGS: readonly string[] = [
  'application/json',
  'application/yaml',
  PROTOBUF,
  `application/json;${AS_TABLE}`,
  `application/json;${AS_METADATA}`,
  `${PROTOBUF};${AS_METADATA}`,
]

/** By path and encoding, in a form that two servers have in common. */
export type Shown = ReadonlyMap<string, string>

/** All lists as of a revision; objects whose names match `except` are left out where they can be. */
export async function listsAt(client: PlainClient, paths: readonly string[], revision: string): Promise<Shown> {
  const shown = new Map<string, string>()
  for (const path of paths) {
    for (const accept of ENCODINGS) {
      const target = `${path}?resourceVersion=${revision}&resourceVersionMatch=Exact`
      const { status, bytes } = await client.send(target, { accept })
      shown.set(`${path} ${accept}`, `${status} ${status === 200 ? comparable(bytes, accept) : ''}`)
    }
  }
  return shown
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
  if (accept.includes(AS_TABLE)) return JSON.stringify(withoutWords(JSON.parse(text) as Table))
  return text.replace(',"continue":""', '').replace('  continue: ""\n', '')
}

interface Table extends JsonMap {
  readonly metadata: JsonMap
  readonly columnDefinitions: readonly JsonMap[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}

function withoutWords(table: Table): JsonMap {
  const { continue: _, ...metadata } = table.metadata
  const columnDefinitions = table.columnDefinitions.map(({ description: _words, ...column }) => column)
  const rows = table.rows.map((row) => ({ ...row, cells: row.cells.map((cell) => (isAge(cell) ? '<age>' : cell)) }))
  return { ...table, metadata, columnDefinitions, rows }
}

function isAge(cell: unknown): boolean {
  return typeof cell === 'string' && /^(?:\d+[smhdy])+$/.test(cell)
}
