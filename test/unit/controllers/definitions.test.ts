import { describe, expect, it } from 'vitest'
import type { ApiObject } from '../../../src/api/object.ts'
import { canonicalJson } from '../../../src/codec/json-encode.ts'
import { definitionCleanup } from '../../../src/controllers/definition-cleanup.ts'
import { definitionNames } from '../../../src/controllers/definition-names.ts'
import { definitionApiServices } from '../../../src/controllers/definition-api-services.ts'
import { deleteObject } from '../../../src/registry/delete.ts'
import { IN_BACKGROUND } from '../../../src/registry/deletion.ts'
import type { Resource } from '../../../src/registry/registry.ts'
import { conditionOf, DefinitionTable, RENAME_VERSION } from '../../../src/kinds/kinds.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { makeAuthority } from '../../../src/pki/certificate-maker.ts'
import { ServedObject } from '../../../src/registry/served-store.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { controllerParts, runUntilFinished } from '../../rigs/running-controller.ts'
import { runInformer } from '../../../src/controllers/informer.ts'

const GROUP = 'stable.example.com'
const CLUSTER = { namespace: '' }
const SOON = { interval: 2 }

class Definitions {
  readonly world: ApiWorld
  readonly resource: Resource

  constructor(world: ApiWorld) {
    this.world = world
    this.resource = world.resource('customresourcedefinitions', 'apiextensions.k8s.io')
  }

  static async open(): Promise<Definitions> {
    return new Definitions(await openWorld())
  }

  async define(plural: string, names: object, more: object = {}): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object' } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const spec = { group: GROUP, scope: 'Namespaced', names: { plural, ...names }, versions, ...more }
    await this.world.create(this.resource, { metadata: { name: `${plural}.${GROUP}` }, spec }, CLUSTER)
  }

  get(plural: string): Promise<ApiObject> {
    return this.world.get(this.resource, `${plural}.${GROUP}`)
  }

  /** `True NoConflicts`, or nothing. */
  async condition(plural: string, type: string): Promise<string> {
    const found = conditionOf(await this.get(plural), type) as { status: string; reason: string } | undefined
    return found === undefined ? '' : `${found.status} ${found.reason}`
  }

  async delete(resource: Resource, name: string, namespace = ''): Promise<void> {
    await deleteObject(this.world.parts, resource, { name, options: IN_BACKGROUND }, this.world.context({ namespace }))
  }
}

describe('the names of a definition', () => {
  it('are accepted, and then the definition is there (P-345)', async () => {
    const definitions = await Definitions.open()
    runUntilFinished(definitionNames(controllerParts(definitions.world)))
    await definitions.define('foos', { kind: 'Foo', shortNames: ['f'], categories: ['all'] })
    await expect.poll(() => definitions.condition('foos', 'Established'), SOON).toBe('True InitialNamesAccepted')
    expect(await definitions.condition('foos', 'NamesAccepted')).toBe('True NoConflicts')
    expect((await definitions.get('foos'))['status']).toMatchObject({
      acceptedNames: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList', shortNames: ['f'] },
    })
  })

  it('belong to who had them first, until that one goes (P-346)', async () => {
    const definitions = await Definitions.open()
    runUntilFinished(definitionNames(controllerParts(definitions.world)))
    await definitions.define('foos', { kind: 'Foo' })
    await expect.poll(() => definitions.condition('foos', 'Established'), SOON).toMatch(/^True/)
    await definitions.define('bars', { kind: 'Foo', singular: 'bar', listKind: 'BarList', shortNames: ['foo'] })
    await expect.poll(() => definitions.condition('bars', 'NamesAccepted'), SOON).toBe('False KindConflict')
    expect(await definitions.condition('bars', 'Established')).toBe('False NotAccepted')
    expect((await definitions.get('bars'))['status']).toMatchObject({ acceptedNames: { plural: 'bars', kind: '' } })
    await definitions.delete(definitions.resource, `foos.${GROUP}`)
    runUntilFinished(definitionCleanup(controllerParts(definitions.world), () => undefined))
    await expect.poll(() => definitions.condition('bars', 'Established'), SOON).toBe('True InitialNamesAccepted')
    expect(await definitions.condition('bars', 'NamesAccepted')).toBe('True NoConflicts')
  })

  it('do not help a definition whose webhook nobody could trust, until its authority is a certificate', async () => {
    const definitions = await Definitions.open()
    runUntilFinished(definitionNames(controllerParts(definitions.world)))
    const conversion = (caBundle: string): object => ({
      strategy: 'Webhook',
      webhook: {
        clientConfig: { url: 'https://example.com/convert', caBundle: Buffer.from(caBundle).toString('base64') },
        conversionReviewVersions: ['v1'],
      },
    })
    await definitions.define('foos', { kind: 'Foo' }, { conversion: conversion('nothing of the kind') })
    await expect.poll(() => definitions.condition('foos', 'Established'), SOON).toBe('False InvalidCABundle')
    const { certificate } = makeAuthority(3_600_000)
    const change = (live: ApiObject): object => ({
      ...live,
      spec: { ...(live['spec'] as object), conversion: conversion(certificate) },
    })
    await definitions.world.update(definitions.resource, `foos.${GROUP}`, change, CLUSTER)
    await expect.poll(() => definitions.condition('foos', 'Established'), SOON).toBe('True InitialNamesAccepted')
  })
})

describe('a version that definitions serve', () => {
  it('has an APIService, which comes back when it is deleted and goes with the last of them (P-381)', async () => {
    const definitions = await Definitions.open()
    const { world } = definitions
    const services = world.resource('apiservices', 'apiregistration.k8s.io')
    const parts = controllerParts(world)
    runUntilFinished(definitionNames(parts))
    runUntilFinished(definitionApiServices(parts))
    const uidOf = async (): Promise<unknown> => {
      try {
        return (await world.get(services, `v1.${GROUP}`)).metadata['uid']
      } catch {
        return undefined
      }
    }
    await definitions.define('foos', { kind: 'Foo' })
    await expect.poll(uidOf, SOON).toBeTypeOf('string')
    const first = await uidOf()
    await definitions.delete(services, `v1.${GROUP}`)
    await expect.poll(async () => [undefined, first].includes(await uidOf()), SOON).toBe(false)
    await definitions.delete(definitions.resource, `foos.${GROUP}`)
    runUntilFinished(definitionCleanup(parts, () => undefined))
    await expect.poll(uidOf, SOON).toBeUndefined()
  })
})

describe('a definition that is deleted', () => {
  it('waits for the last of its objects, and then goes (P-349)', async () => {
    const definitions = await Definitions.open()
    const { world } = definitions
    const schema = loadBuiltInSchema()
    const table = new DefinitionTable({
      schema,
      builtIn: world.resources,
      encode: canonicalJson,
      serve: (object, shown, type) => new ServedObject(object, shown, type),
      converter: () => RENAME_VERSION,
      onRetired: () => {},
    })
    const parts = controllerParts(world)
    runUntilFinished(definitionNames(parts))
    runUntilFinished(definitionCleanup(parts, (name) => table.storageResource(name)))
    runUntilFinished({
      name: 'table',
      run: (signal) =>
        runInformer(
          world.parts.store,
          definitions.resource,
          { onPresent: (stored) => table.put(stored), onGone: ({ name, revision }) => table.remove(name, revision) },
          signal,
        ),
    })
    await definitions.define('foos', { kind: 'Foo' })
    await expect
      .poll(() => table.find({ group: GROUP, version: 'v1', resource: 'foos' }), SOON)
      .toMatchObject({ kind: 'Foo' })
    const foos = table.storageResource(`foos.${GROUP}`)!
    await world.create(foos, { metadata: { name: 'free' } })
    await world.create(foos, { metadata: { name: 'held', finalizers: ['example.com/hold'] } }, { namespace: 'other' })
    await definitions.delete(definitions.resource, `foos.${GROUP}`)
    await expect.poll(() => definitions.condition('foos', 'Terminating'), SOON).toBe('True InstanceDeletionInProgress')
    await expect.poll(() => world.get(foos, 'free').catch(() => 'gone'), SOON).toBe('gone')
    expect((await world.get(foos, 'held', 'other')).metadata).toHaveProperty('deletionTimestamp')
    const letGo = (live: ApiObject): object => ({ ...live, metadata: { ...live.metadata, finalizers: [] } })
    await world.update(foos, 'held', letGo, { namespace: 'other' })
    await expect.poll(() => definitions.get('foos').catch(() => 'gone'), SOON).toBe('gone')
  })
})
