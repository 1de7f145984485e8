// Everything that a server could keep something of, in rounds of the same work: objects that are written over and over,
// definitions and namespaces that come and go, watchers, readers of documents and of pages, and requests that make no sense.
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiClient } from '../rigs/api-client.ts'
import { definitionOf } from '../corpora/definitions.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = 'load.example.com'
const MAP_COUNT = 200
const WRITERS = 8
const PATIENCE_MS = 120_000

export interface LoadSize {
  /** Of each of the writers. */
  readonly writes: number
  readonly definitions: number
  readonly namespaces: number
  readonly watchers: number
}

export class MemoryLoad {
  readonly #client: ApiClient
  readonly #size: LoadSize
  #count = 0

  constructor(client: ApiClient, size: LoadSize) {
    this.#client = client
    this.#size = size
  }

  async prepare(): Promise<void> {
    for (let i = 0; i < MAP_COUNT; i++) await this.#must('POST', MAPS, mapOf(i, 0))
  }

  /** Leaves as many objects as there were. */
  async round(): Promise<void> {
    const { definitions, namespaces, watchers } = this.#size
    const each = (count: number, work: () => Promise<void>): Promise<void>[] => Array.from({ length: count }, work)
    await Promise.all([
      ...each(WRITERS, () => this.#write()),
      ...each(watchers, () => this.#watch()),
      this.#inTurn(definitions, () => this.#defineAndRemove()),
      this.#inTurn(namespaces, () => this.#furnishAndRemove()),
      this.#readPages(),
      this.#knockAtDoors(),
    ])
  }

  async #inTurn(count: number, work: () => Promise<void>): Promise<void> {
    for (let i = 0; i < count; i++) await work()
  }

  async #write(): Promise<void> {
    for (let i = 0; i < this.#size.writes; i++) {
      const count = ++this.#count
      const at = count % MAP_COUNT
      const place = `${MAPS}/map-${at}`
      if (count % 3 === 0) await this.#must('PUT', place, mapOf(at, count))
      else if (count % 3 === 1) await this.#must('PATCH', place, { data: { k: textOf(count) } }, MERGE)
      else await this.#must('PATCH', `${place}?fieldManager=m${count % 5}&force=true`, mapOf(at, count), APPLY)
    }
  }

  async #watch(): Promise<void> {
    const count = ++this.#count
    const stream = '&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
    const selector = `labelSelector=odd!=x${count}`
    const watch = this.#client.open(`${MAPS}?watch=1&resourceVersion=0&${selector}${count % 2 === 0 ? '' : stream}`)
    await until('the whole state', () => watch.lines() >= MAP_COUNT)
    await watch.close()
  }

  async #defineAndRemove(): Promise<void> {
    const kind = `Load${++this.#count}`
    const rule = { 'x-kubernetes-validations': [{ rule: `!has(self.h) || self.h != 'no${this.#count}'` }] }
    const field = { type: 'string', pattern: `^[a-z${this.#count}]*$`, maxLength: 100 }
    const definition = definitionOf(GROUP, kind, { f: field })
    const { name } = definition.metadata
    const place = `/apis/${GROUP}/v1/${definition.spec.names.plural}`
    await this.#must('POST', DEFINITIONS, definition)
    await this.#answered(place, 200)
    const object = (at: number): object => ({
      apiVersion: `${GROUP}/v1`,
      kind,
      metadata: { name: `o-${at}` },
      spec: { f: 'abc', more: textOf(at) },
    })
    for (let at = 0; at < 5; at++) await this.#must('POST', place, object(at))
    const watch = this.#client.open(`${place}?watch=1&resourceVersion=0`)
    await this.#must('GET', '/openapi/v2')
    await this.#must('GET', `/openapi/v3/apis/${GROUP}/v1`)
    const changed = definitionOf(GROUP, kind, { f: field, g: { type: 'object', properties: { h: field }, ...rule } })
    await this.#must('PATCH', `${DEFINITIONS}/${name}`, { spec: changed.spec }, MERGE)
    await this.#must('GET', '/openapi/v2')
    await this.#must('PATCH', `${place}/o-1`, { spec: { f: 'xyz' } }, MERGE)
    await this.#readAll(place, 2)
    await this.#must('DELETE', `${DEFINITIONS}/${name}`)
    await this.#answered(place, 404)
    await watch.close()
  }

  async #furnishAndRemove(): Promise<void> {
    const name = `load-${++this.#count}`
    const place = `/api/v1/namespaces/${name}`
    await this.#must('POST', '/api/v1/namespaces', { metadata: { name } })
    for (let at = 0; at < 5; at++) await this.#must('POST', `${place}/configmaps`, mapOf(at, at))
    await this.#must('POST', `${place}/secrets`, { metadata: { name: 's' }, stringData: { k: textOf(1) } })
    await this.#must('POST', `${place}/services`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } })
    await this.#must('DELETE', place)
    await this.#answered(place, 404)
  }

  async #readPages(): Promise<void> {
    await this.#readAll(MAPS, 25)
    await this.#must('GET', MAPS)
    await this.#must('GET', '/metrics')
    await this.#must('GET', '/openapi/v3')
    await this.#must('GET', '/apis')
  }

  async #readAll(place: string, limit: number): Promise<void> {
    for (let token: string | undefined = ''; token !== undefined; ) {
      const text = await this.#must('GET', `${place}?limit=${limit}&continue=${encodeURIComponent(token)}`)
      const { metadata } = JSON.parse(text) as { metadata: { continue?: string } }
      token = metadata.continue === undefined || metadata.continue === '' ? undefined : metadata.continue
    }
  }

  /** What is not there, and what makes no sense. */
  async #knockAtDoors(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      const word = `x${++this.#count}`
      await this.#client.send('GET', `/apis/${word}/v1/${word}`)
      await this.#client.send('GET', `${MAPS}/${word}?pretty=${word}`)
      await this.#client.send('POST', MAPS, { body: `{"kind":"${word}"` })
      await this.#client.send('GET', `${MAPS}?labelSelector=${word}%3D${word}&fieldSelector=metadata.name%3D${word}`)
      await sleep(1)
    }
  }

  async #answered(place: string, status: number): Promise<void> {
    await until(`${place} answers ${status}`, async () => (await this.#client.send('GET', place)).status === status)
  }

  async #must(method: string, path: string, body?: object, contentType?: string): Promise<string> {
    const { status, text } = await this.#client.send(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    })
    if (status >= 300 && status !== 409) throw new Error(`${method} ${path}: ${status} ${text}`)
    return text
  }
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; !(await isSo()); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(`in vain: ${what}`)
  }
}

const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

function mapOf(at: number, count: number): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `map-${at}` }, data: { k: textOf(count) } }
}

/** A kilobyte, each another one. */
function textOf(count: number): string {
  return `${count} `.repeat(1000).slice(0, 1000)
}
