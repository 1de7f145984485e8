import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Value, ValueMap } from '../../../src/api/value.ts'
import { emitYaml } from '../../../src/codec/yaml-emit.ts'
import { encodeCborPart } from '../../../src/codec/cbor-encode.ts'
import { type Encoding, encodeObject } from '../../../src/codec/codec.ts'
import { readApplied, readDocument } from '../../../src/codec/request-body.ts'
import { Turns } from '../../../src/lib/turns.ts'
import { Offload } from '../../../src/offload/offload.ts'
import { type FieldManagerRequest, trackApply, trackUpdate } from '../../../src/patch/field-tracking.ts'
import { applyMergePatch } from '../../../src/patch/merge-patch.ts'
import { ConversionMissing } from '../../../src/patch/ownership.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import { ApiWorld } from '../../fakes/api-world.ts'
import { arbitraryObject } from '../../fakes/arbitrary-object.ts'

const world = new ApiWorld()
const { signal } = new AbortController()
const offload = new Offload(new Turns())
afterAll(() => offload[Symbol.asyncDispose]())

const resources = [...world.resources.all()].filter(({ verbs }) => verbs.has('create'))
const SEEDS = [1, 2]

function objectOf(resource: Resource, seed: number): ApiObject {
  const [object] = fc.sample(arbitraryObject(resource.schema), { numRuns: 1, seed })
  const { managedFields: _, ...metadata } = object!.metadata
  const { value } = resource.decode({ ...object!, metadata })
  return { ...value, kind: object!.kind, apiVersion: object!.apiVersion } as ApiObject
}

function requestOf(resource: Resource, live: ValueMap, manager: string): FieldManagerRequest {
  return {
    versions: resource.versions,
    apiVersion: live['apiVersion'] as string,
    manager,
    subresource: '',
    reset: resource.versions.sets.ofNames(resource.strategy.main.resetFields),
    now: world.context().now,
    live,
  }
}

const rows = resources.map((resource) => [`${resource.group}/${resource.version} ${resource.kind}`, resource] as const)

describe('in another thread', () => {
  it.each(rows)('%s is read as it is here', async (_name, resource) => {
    for (const seed of SEEDS) {
      const object = objectOf(resource, seed)
      const encodings: readonly Encoding[] = resource.schema.hasProtobuf
        ? ['yaml', 'cbor', 'protobuf']
        : ['yaml', 'cbor']
      for (const encoding of encodings) {
        const bytes = encodeObject(object, resource.schema, encoding)
        const read = await offload.readDocument(bytes, { encoding, kind: resource.schema, signal })
        expect(read).toEqual(readDocument(bytes, encoding, resource.schema))
      }
    }
  })

  it.each(rows)('the owners of %s are found as they are here', async (_name, resource) => {
    for (const seed of SEEDS) {
      const object = objectOf(resource, seed)
      const creation = requestOf(resource, { kind: object.kind, apiVersion: object.apiVersion }, 'creator')
      const created = trackUpdate(creation, object)
      expect(await offload.trackUpdate(creation, object, signal)).toEqual(created)
      const live = { ...created, metadata: { ...created.metadata, uid: 'u' } }
      const other = objectOf(resource, seed + 10)
      const update = requestOf(resource, live, 'updater')
      const updated = { ...other, metadata: live.metadata }
      expect(await offload.trackUpdate(update, updated, signal)).toEqual(trackUpdate(update, updated))
      const { metadata: _, ...applied } = other
      const apply = requestOf(resource, live, 'applier')
      expect(await outcome(() => offload.trackApply(apply, applied, { force: true, signal }))).toEqual(
        await outcome(() => trackApply(apply, applied, true)),
      )
    }
  })
})

async function outcome(work: () => Promise<Value> | Value): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    const { message, reason, code, details } = error as Error & Record<string, unknown>
    return { message, reason, code, details }
  }
}

const configMaps = resources.find(({ resource }) => resource === 'configmaps')!
const autoscalers = resources.find(
  ({ resource, version }) => resource === 'horizontalpodautoscalers' && version === 'v1',
)!

describe('what fails in another thread', () => {
  it('is told as it is here: a body that is no YAML', async () => {
    const bytes = Buffer.from('a: [')
    const here = await outcome(() => readDocument(bytes, 'yaml', configMaps.schema).value)
    const there = outcome(
      async () => (await offload.readDocument(bytes, { encoding: 'yaml', kind: configMaps.schema, signal })).value,
    )
    expect(await there).toEqual(here)
    const applied = outcome(async () => (await offload.readApplied(bytes, 'yaml', signal)).document)
    expect(await applied).toEqual(await outcome(() => readApplied(bytes, 'yaml').document))
  })

  it('is told as it is here: a conflict, with its causes', async () => {
    const live = { ...objectOf(configMaps, 1), data: { a: '1' } }
    const owned = trackApply(
      requestOf(configMaps, { kind: live.kind, apiVersion: live.apiVersion }, 'first'),
      live,
      false,
    )
    const stored = { ...owned, metadata: { ...(owned['metadata'] as ValueMap), uid: 'u' } }
    const request = requestOf(configMaps, stored, 'second')
    const applied = { kind: live.kind, apiVersion: live.apiVersion, data: { a: '2' } }
    const here = await outcome(() => trackApply(request, applied, false))
    expect(here).toMatchObject({ reason: 'Conflict', code: 409 })
    expect(await outcome(() => offload.trackApply(request, applied, { force: false, signal }))).toEqual(here)
  })

  it('is a fault that says what happened', async () => {
    const broken = { ...requestOf(configMaps, { kind: 'ConfigMap', apiVersion: 'v1' }, 'm'), reset: { members: 7 } }
    const request = broken as unknown as FieldManagerRequest
    await expect(
      offload.trackApply(request, { kind: 'ConfigMap', apiVersion: 'v1', data: { a: '1' } }, { force: false, signal }),
    ).rejects.toThrow('Cannot read properties of undefined')
  })
})

describe('a kind in several versions', () => {
  const object = objectOf(autoscalers, 3)
  const owned = trackUpdate(requestOf(autoscalers, { kind: object.kind, apiVersion: object.apiVersion }, 'm'), object)
  const [entry] = owned.metadata['managedFields'] as readonly ValueMap[]
  const live = {
    ...owned,
    metadata: { ...owned.metadata, uid: 'u', managedFields: [{ ...entry, apiVersion: 'autoscaling/v2' }] },
  } as ApiObject
  const changed = { ...live, spec: { ...(live['spec'] as ValueMap), maxReplicas: 77 } }

  it('is converted where its versions are known', async () => {
    const request = requestOf(autoscalers, live, 'n')
    expect(await offload.trackUpdate(request, changed, signal)).toEqual(trackUpdate(request, changed))
  })

  it('has a conversion that is not at hand asked for', async () => {
    const convert = (asked: ValueMap, apiVersion: string): ValueMap => {
      throw new ConversionMissing(asked, apiVersion)
    }
    const request = { ...requestOf(autoscalers, live, 'n'), versions: { ...autoscalers.versions, convert } }
    await expect(offload.trackUpdate(request, changed, signal)).rejects.toThrow(ConversionMissing)
  })
})

describe('other jobs', () => {
  it('patch as is done here', async () => {
    const live = objectOf(configMaps, 4)
    const patch = { data: { a: 'new', b: null }, metadata: { labels: { x: 'y' } } }
    const { value } = await offload.patched(
      live,
      { type: 'merge', patch: Buffer.from(JSON.stringify(patch)), shape: configMaps.schema.shape, loose: false },
      signal,
    )
    expect(value).toEqual(applyMergePatch(live, patch))
  })

  it('write as is done here', async () => {
    const object = objectOf(configMaps, 5)
    const { shape } = configMaps.schema
    expect((await offload.write(object, { encoding: 'yaml', shape: undefined })).toString()).toBe(emitYaml(object))
    expect(await offload.write(object, { encoding: 'cbor', shape })).toEqual(encodeCborPart(object, shape))
  })
})

describe('the thread', () => {
  const body = (lines: number): Buffer => Buffer.from(Array.from({ length: lines }, (_, i) => `k${i}: v\n`).join(''))
  const read = (own: Offload, lines: number, abort = signal): Promise<unknown> =>
    own.readDocument(body(lines), { encoding: 'yaml', kind: configMaps.schema, signal: abort })

  it('does not begin what nobody waits for any more', async () => {
    await using own = new Offload(new Turns())
    const abort = new AbortController()
    const first = read(own, 10_000)
    const second = read(own, 10, abort.signal)
    abort.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    await first
    await expect(read(own, 10, AbortSignal.abort(new Error('late')))).rejects.toThrow('late')
  })

  it('is ended with the server, and what waits for it fails', async () => {
    const own = new Offload(new Turns())
    const work = read(own, 100_000)
    work.catch(() => {})
    await own[Symbol.asyncDispose]()
    await expect(work).rejects.toThrow('the server is stopping')
  })

  it('is another one after one was ended over work that nobody waits for any more', async () => {
    await using own = new Offload(new Turns(), 0)
    await read(own, 10)
    const abort = new AbortController()
    const long = read(own, 400_000, abort.signal)
    const waiting = read(own, 10)
    abort.abort(new Error('gone'))
    await expect(long).rejects.toThrow('gone')
    expect(await waiting).toMatchObject({ problems: [] })
  })

  it('does not take the next job with it when it is ended over one that is as good as done', async () => {
    await using own = new Offload(new Turns(), 0)
    await read(own, 10)
    const abort = new AbortController()
    const done = read(own, 10, abort.signal)
    const waiting = read(own, 10)
    // The outcome of the first is there, and not yet looked at.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    abort.abort(new Error('gone'))
    await expect(done).rejects.toThrow('gone')
    expect(await waiting).toMatchObject({ problems: [] })
  })
})
