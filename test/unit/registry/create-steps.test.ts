import { describe, expect, it } from 'vitest'
import {
  ADMIT_ALL,
  type Admission,
  type AdmissionPhase,
  type AdmissionRequest,
} from '../../../src/admission/admission.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { createObject } from '../../../src/registry/create.ts'
import {
  admitNew,
  type AdmittedCreation,
  creationOf,
  inCanonicalForm,
  inNamespace,
  mutatedByAdmission,
  named,
  outcomeOfNew,
  preparedByStrategy,
  prepareNew,
  validated,
  validatedByAdmission,
  warnedOf,
  withFieldsOwnedAsSent,
  withFirstGeneration,
  withoutDeletionMarks,
  withoutRepeatedOwners,
  withSystemMeta,
  withVersionChecked,
} from '../../../src/registry/create-steps.ts'
import { HeldReservation } from '../../../src/registry/held-reservation.ts'
import type { Strategy, WriteContext } from '../../../src/registry/registry.ts'
import { authorizedAsItIs, withReservation } from '../../../src/registry/steps.ts'
import { updateObject } from '../../../src/registry/update.ts'
import { NOW, openWorld } from '../../rigs/api-world.ts'

const world = await openWorld()
const configMaps = world.resource('configmaps')

function configMap(metadata: ApiObject['metadata'], more: object = {}): ApiObject {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata, ...more }
}

interface Given extends Partial<Omit<AdmittedCreation, 'context'>> {
  readonly context?: Partial<WriteContext>
  readonly strategy?: Partial<Strategy>
}

function creation({ context, strategy, ...more }: Given = {}): AdmittedCreation {
  const sent = more.sent ?? configMap({ name: 'a' })
  const resource = more.resource ?? configMaps
  const given = {
    parts: world.parts,
    context: world.context(context),
    verb: 'post',
    name: '',
    sent,
    held: new HeldReservation(),
    versions: resource.versions,
    ...more,
    resource: { ...resource, strategy: { ...resource.strategy, ...strategy } },
  } as const
  return { admitted: sent, ...creationOf(given) }
}

/** A reservation and what it was settled with. */
function reserving(filled: object = {}) {
  const settled: boolean[] = []
  const reserve: NonNullable<Strategy['reserve']> = ({ object }) =>
    Promise.resolve({
      object: { ...object!, ...filled },
      settle: (stored) => {
        settled.push(stored)
        return Promise.resolve()
      },
    })
  return { reserve, settled }
}

describe('the steps of a create', () => {
  it('are taken in the same order by POST and by PUT that creates (W-022)', async () => {
    const taken: string[] = []
    const { reserve } = reserving()
    const { prepareForCreate, validateCreate } = configMaps.strategy
    const note = <A extends readonly unknown[], R>(name: string, step: (...given: A) => R) => {
      return (...given: A): R => {
        taken.push(name)
        return step(...given)
      }
    }
    const strategy: Strategy = {
      ...configMaps.strategy,
      createOnUpdate: true,
      authorizeWrite: note('authorizeWrite', () => Promise.resolve()),
      prepareForCreate: note('prepareForCreate', prepareForCreate),
      reserve: note('reserve', reserve),
      validateCreate: note('validateCreate', validateCreate),
      warnings: note('warnings', () => []),
    }
    const admission: Admission = {
      ...ADMIT_ALL,
      mutate: note('mutate', ({ object }: AdmissionRequest) => object),
      validate: note('validate', () => {}),
    }
    const parts = { ...world.parts, admission }
    const resource = { ...configMaps, strategy }
    const context = world.context({ authorize: note('authorize', () => Promise.resolve()) })
    const order = ['mutate', 'authorizeWrite', 'prepareForCreate', 'reserve', 'validateCreate', 'warnings', 'validate']
    await createObject(parts, resource, configMap({ name: 'posted' }), context)
    expect(taken.splice(0)).toEqual(order)
    const put = { name: 'put', subresource: '', tracksFields: false, absent: 'put', uid: '' } as const
    await updateObject(parts, resource, { ...put, wanted: () => configMap({ name: 'put' }) }, context)
    expect(taken).toEqual(['authorize', ...order])
  })

  it.each([
    ['post', {}],
    ['put', { deletionTimestamp: NOW, deletionGracePeriodSeconds: 3 }],
  ] as const)('withoutDeletionMarks: of %s', (verb, kept) => {
    const sent = configMap({ name: 'a', deletionTimestamp: NOW, deletionGracePeriodSeconds: 3 })
    expect(withoutDeletionMarks(sent, creation({ verb })).metadata).toEqual({ name: 'a', ...kept })
  })

  it.each([
    ['takes that of the request', 'configmaps', undefined, 'ns'],
    ['may say it itself', 'configmaps', 'ns', 'ns'],
    ['has no other', 'configmaps', 'other', /does not match the namespace sent on the request/],
    ['has none where the whole cluster has the object', 'namespaces', 'ns', undefined],
  ])('inNamespace: an object %s', (_name, resource, given, expected) => {
    const sent = configMap({ name: 'a', ...(given === undefined ? {} : { namespace: given }) })
    const run = (): ApiObject => inNamespace(sent, creation({ resource: world.resource(resource) }))
    if (expected instanceof RegExp) expect(run).toThrow(expected)
    else expect(run().metadata['namespace']).toBe(expected)
  })

  it('withoutRepeatedOwners: keeps one of them and warns (W-084)', () => {
    const warnings: string[] = []
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }
    const sent = configMap({ name: 'a', ownerReferences: [owner, { ...owner }] })
    const made = withoutRepeatedOwners(sent, creation({ context: { warn: (text) => void warnings.push(text) } }))
    expect(made.metadata['ownerReferences']).toEqual([owner])
    expect(warnings).toEqual([expect.stringContaining('duplicate entries; API server dedups owner references')])
  })

  it.each([
    ['post', [{ manager: 'test', operation: 'Update', time: NOW }]],
    ['put', [{ manager: 'test', operation: 'Update', time: NOW }]],
    ['apply', undefined],
  ] as const)('withFieldsOwnedAsSent: by %s', (verb, managed) => {
    const made = withFieldsOwnedAsSent(configMap({ name: 'a' }, { data: { a: '1' } }), {
      ...creation({ verb }),
      isOwnedFirst: true,
    })
    if (managed === undefined) expect(made.metadata).not.toHaveProperty('managedFields')
    else expect(made.metadata['managedFields']).toMatchObject(managed)
  })

  describe('the owners of the fields', () => {
    interface Shown {
      mutate?: ApiObject
      validate?: ApiObject
    }
    /** Adds a member, as the server's own plugins do, and notes what it is shown. */
    const adding = (extensions: readonly AdmissionPhase[] = [], shown: Shown = {}): Admission => ({
      mutate: ({ object }) => {
        shown.mutate = object!
        return { ...object!, data: { ...(object!['data'] as object), added: 'x' } }
      },
      validate: ({ object }) => void (shown.validate = object!),
      hasExtensions: (phase) => extensions.includes(phase),
      readsObjects: () => true,
    })
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }
    const sent = configMap(
      { name: 'a', ownerReferences: [owner, { ...owner }], deletionTimestamp: NOW },
      { data: { a: '1' } },
    )
    const created = async (admission: Admission, context: Partial<WriteContext>, object = sent): Promise<ApiObject> => {
      const given = creation({ sent: object, parts: { ...world.parts, admission }, context })
      const outcome = outcomeOfNew(await prepareNew({ ...given, admitted: await admitNew(given) }), given)
      return outcome.object!
    }

    it.each([
      ['when it is stored', [], []],
      ['first of all, where extensions validate it', ['validate'], ['mutate', 'validate']],
      ['first of all, where extensions mutate it', ['mutate'], ['mutate', 'validate']],
    ] as const)('own what was sent, and nothing that admission added: found %s', async (_name, extensions, known) => {
      const warnings: string[] = []
      const shown: Shown = {}
      const made = await created(adding(extensions, shown), { warn: (text) => void warnings.push(text) })
      expect(Object.keys(made.metadata).at(-1)).toBe('managedFields')
      expect(made['data']).toEqual({ a: '1', added: 'x' })
      expect(made.metadata['managedFields']).toMatchObject([{ manager: 'test', fieldsV1: { 'f:data': { 'f:a': {} } } }])
      expect(JSON.stringify(made.metadata['managedFields'])).not.toMatch('f:added|f:deletionTimestamp')
      const phases = Object.entries(shown as Record<string, ApiObject>)
      expect(phases.filter(([, object]) => 'managedFields' in object.metadata).map(([phase]) => phase)).toEqual(known)
      expect(warnings).toHaveLength(1)
    })

    it('are found first of all where some are sent, as they may say otherwise', async () => {
      const shown: Shown = {}
      const managed = configMap({ name: 'a', managedFields: [] }, { data: { a: '1' } })
      await created(adding([], shown), {}, managed)
      expect(shown.mutate!.metadata['managedFields']).toMatchObject([{ manager: 'test' }])
    })
  })

  it('mutatedByAdmission: admission is shown a create and its word stands', async () => {
    const seen: unknown[] = []
    const admission = {
      ...ADMIT_ALL,
      mutate: ({ operation, name, object, oldObject }: AdmissionRequest) => {
        seen.push([operation, name, oldObject])
        return { ...object!, data: { added: 'x' } }
      },
    }
    const sent = configMap({ name: 'a' })
    const made = await mutatedByAdmission(sent, creation({ parts: { ...world.parts, admission } }))
    expect(seen).toEqual([['CREATE', 'a', undefined]])
    expect(made).toEqual({ ...sent, data: { added: 'x' } })
  })

  it('authorizedAsItIs: the kind is asked about this very object', async () => {
    const asked: unknown[] = []
    const strategy: Partial<Strategy> = {
      authorizeWrite: ({ object, stored, name }) => {
        asked.push([object.metadata['name'], stored, name])
        return Promise.reject(new ApiError('Forbidden', 'not this one'))
      },
    }
    const run = async () => authorizedAsItIs(configMap({ name: 'a' }), creation({ strategy, name: 'in-path' }))
    await expect(run()).rejects.toThrow('not this one')
    expect(asked).toEqual([['a', undefined, 'in-path']])
  })

  it.each([
    ['stays', { name: 'a', generateName: 'b-' }, /^a$/],
    ['is generated', { generateName: 'b-' }, /^b-[a-z0-9]{5}$/],
  ])('named: the name %s', (_name, metadata, expected) => {
    expect(named(configMap(metadata), creation()).metadata['name']).toMatch(expected)
  })

  it('withSystemMeta: what the server says of a new object it says anew', () => {
    const sent = configMap({ name: 'a', uid: 'u', creationTimestamp: '2000-01-01T00:00:00Z', resourceVersion: '5' })
    const { uid, ...rest } = withSystemMeta(sent, creation()).metadata
    expect(uid).toMatch(/^[0-9a-f-]{36}$/)
    expect(rest).toEqual({ name: 'a', creationTimestamp: NOW })
  })

  it('preparedByStrategy: the kind has its say', () => {
    const strategy: Partial<Strategy> = { prepareForCreate: (object) => ({ ...object, status: { phase: 'New' } }) }
    expect(preparedByStrategy(configMap({ name: 'a' }), creation({ strategy }))).toHaveProperty('status.phase', 'New')
  })

  it.each([
    ['is what was sent where nobody keeps it', undefined, 7],
    ['is none where it begins with zero', 0, undefined],
    ['is the first one', 1, 1],
  ])('withFirstGeneration: %s', (_name, firstGeneration, expected) => {
    const made = withFirstGeneration(
      configMap({ name: 'a', generation: 7 }),
      creation({ strategy: { firstGeneration } }),
    )
    expect(made.metadata['generation']).toBe(expected)
  })

  it('withReservation: fills in what was reserved, and it is held', async () => {
    const { reserve, settled } = reserving({ data: { address: '10.0.0.1' } })
    const given = creation({ strategy: { reserve } })
    expect(await withReservation(configMap({ name: 'a' }), given)).toHaveProperty('data.address', '10.0.0.1')
    await given.held.settle(true)
    expect(settled).toEqual([true])
  })

  it('inCanonicalForm: members in their order, nothing that output leaves out', () => {
    const sent = { data: {}, metadata: { name: 'a', labels: {} }, apiVersion: 'v1', kind: 'ConfigMap' }
    const made = inCanonicalForm(sent, creation({ sent: configMap({ name: 'other' }) }))
    expect(JSON.stringify(made)).toBe('{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}}')
  })

  it('inCanonicalForm: what is as it was sent is in the order of others', () => {
    const sent = configMap({ labels: { a: 'b' }, namespace: 'ns', name: 'a' })
    const made = inCanonicalForm({ ...sent }, creation({ sent }))
    expect(JSON.stringify(made.metadata)).toBe('{"name":"a","namespace":"ns","labels":{"a":"b"}}')
  })

  it('validated: what is not valid is refused', async () => {
    const run = async (metadata: ApiObject['metadata']) => validated(configMap(metadata), creation())
    const valid = { name: 'a', namespace: 'ns', uid: 'u', creationTimestamp: NOW }
    await expect(run(valid)).resolves.toMatchObject({ metadata: valid })
    await expect(run({ ...valid, name: 'No!' })).rejects.toMatchObject({ reason: 'Invalid' })
  })

  it('warnedOf: the kind’s warnings are told', () => {
    const warnings: string[] = []
    const strategy: Partial<Strategy> = {
      warnings: ({ kind }, stored) => (stored === undefined ? [`new ${kind}`] : []),
    }
    warnedOf(configMap({ name: 'a' }), creation({ strategy, context: { warn: (text) => void warnings.push(text) } }))
    expect(warnings).toEqual(['new ConfigMap'])
  })

  it('validatedByAdmission: admission may refuse what it is shown last', async () => {
    const validate = (): Promise<void> => Promise.reject(new ApiError('Forbidden', 'denied'))
    const given = creation({ parts: { ...world.parts, admission: { ...ADMIT_ALL, validate } } })
    await expect(async () => validatedByAdmission(configMap({ name: 'a' }), given)).rejects.toThrow('denied')
  })

  it.each([
    ['post', false, '5', 'refused'],
    ['post', false, '0', undefined],
    ['post', false, 'abc', undefined],
    ['post', true, '5', '5'],
    ['post', true, 'abc', 'abc'],
    ['put', false, '5', undefined],
    ['put', true, '5', '5'],
    ['apply', true, '5', undefined],
  ] as const)('withVersionChecked: %s, as a dry run %s, of version %s is %s (W-072 to W-074)', (...row) => {
    const [verb, dryRun, resourceVersion, expected] = row
    const given = creation({ verb, context: { dryRun }, admitted: configMap({ name: 'a', resourceVersion }) })
    const run = (): unknown => withVersionChecked(configMap({ name: 'a' }), given).metadata['resourceVersion']
    if (expected === 'refused') expect(run).toThrow('resourceVersion should not be set on objects to be created')
    else expect(run()).toBe(expected)
  })
})

describe('what a create has reserved', () => {
  const refuse: Partial<Strategy> = {
    validateCreate: () => [{ reason: 'FieldValueInvalid', field: 'data', message: 'no' }],
  }

  it('is given back where a later step refuses', async () => {
    const { reserve, settled } = reserving()
    const given = creation({ strategy: { reserve, ...refuse } })
    const admitted = await admitNew(given)
    await expect(prepareNew({ ...given, admitted })).rejects.toMatchObject({ reason: 'Invalid' })
    expect(settled).toEqual([false])
  })

  it('is held where all steps are taken', async () => {
    const { reserve, settled } = reserving()
    const given = creation({ strategy: { reserve } })
    await prepareNew({ ...given, admitted: await admitNew(given) })
    expect(settled).toEqual([])
  })

  it.each([
    ['a refusal', new ApiError('RequestEntityTooLarge', 'too large'), [false]],
    ['an outcome that nobody knows', new ApiError('InternalError', 'broken'), []],
    ['a fault of ours', new Error('bug'), []],
  ])('is settled after %s as it has to be', async (_name, error, expected) => {
    const { reserve, settled } = reserving()
    const given = creation({ strategy: { reserve } })
    await withReservation(configMap({ name: 'a' }), given)
    await given.held.settleFailed(error)
    expect(settled).toEqual(expected)
  })
})
