// Bodies as large as they may be, in every encoding and for every way to write: what could hold the event loop up for longest.
import type { ValueMap } from '../../src/api/value.ts'
import { encodeCbor } from '../../src/codec/cbor-encode.ts'
import { encodeProtobuf } from '../../src/codec/protobuf.ts'
import type { ServerCall } from './running-server.ts'
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
