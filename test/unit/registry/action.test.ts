import { describe, expect, test } from 'vitest'
import { ADMIT_ALL, type Admission, type AdmissionRequest } from '../../../src/admission/admission.ts'
import { withMeta } from '../../../src/api/object-members.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import type { Action, WriteContext } from '../../../src/registry/registry.ts'
import { actionBody } from '../../../src/kinds/shared/action-body.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

function worldWith(
  namespaced: boolean,
  asked: AdmissionRequest[] = [],
  validate: Admission['validate'] = (request) => Promise.resolve(void asked.push(request)),
): ApiWorld {
  return new ApiWorld({
    admission: {
      ...ADMIT_ALL,
      mutate: (request) => {
        asked.push(request)
        return Promise.resolve({ ...request.object!, target: { name: 'mutated' } })
      },
      validate,
    },
    actions: (schema): readonly Action[] => [
      {
        at: { group: '', version: 'v1', resource: 'pods', subresource: 'binding', namespaced },
        body: actionBody(schema, { group: '', version: 'v1', kind: 'Binding' }, {}),
        alsoVersions: [],
        run: async (object, context) => {
          await context.validate(object)
          return { kind: 'body', object }
        },
      },
    ],
  })
}

describe('an action', () => {
  test('shows admission a create of its body at its own place, and works with what comes back', async () => {
    const asked: AdmissionRequest[] = []
    const answer = await worldWith(true, asked).act('pods/binding', 'p', { metadata: { name: 'x' }, target: {} })
    expect(answer).toMatchObject({ kind: 'object', object: { target: { name: 'mutated' } } })
    expect(asked).toHaveLength(2)
    for (const request of asked) {
      expect(request).toMatchObject({
        operation: 'CREATE',
        kind: { group: '', version: 'v1', kind: 'Binding' },
        resource: { group: '', version: 'v1', resource: 'pods' },
        subresource: 'binding',
        namespace: 'ns',
        name: 'p',
      })
    }
  })

  test('fills in the namespace of the request', async () => {
    const answer = await worldWith(true).act('pods/binding', 'p', { metadata: { name: 'x' } })
    expect(answer).toMatchObject({ object: { metadata: { namespace: 'ns' } } })
  })

  test('refuses a body that names another namespace', async () => {
    const act = worldWith(true).act('pods/binding', 'p', { metadata: { namespace: 'other' } })
    await expect(act).rejects.toMatchObject({ reason: 'BadRequest' })
  })

  test('drops a namespace where it has none', async () => {
    const answer = await worldWith(false).act('pods/binding', 'p', { metadata: { namespace: 'other' } })
    expect(answer).toMatchObject({ object: { metadata: {} } })
    expect((answer as { object: { metadata: object } }).object.metadata).not.toHaveProperty('namespace')
  })

  test('is told who owns the fields of a large body only where it answers with that', async () => {
    const tracked: object[] = []
    const offload = {
      trackUpdate: (_request: object, object: ApiObject) => {
        tracked.push(object)
        return Promise.resolve(withMeta(object, { managedFields: [{ manager: 'me' }] }))
      },
    } as unknown as NonNullable<WriteContext['offload']>
    const asked: AdmissionRequest[] = []
    const world = worldWith(true, asked)
    const answer = await world.act('pods/binding', 'p', { metadata: { name: 'x' } }, { offload })
    expect(answer).toMatchObject({
      object: { metadata: { managedFields: [{ manager: 'me' }] }, target: { name: 'mutated' } },
    })
    expect(tracked).toHaveLength(1)
    expect(tracked[0]).not.toMatchObject({ target: { name: 'mutated' } })
    expect(asked[0]?.object?.metadata).not.toHaveProperty('managedFields')

    const refused = worldWith(true, [], () => Promise.reject(new ApiError('Forbidden', 'no')))
    await expect(refused.act('pods/binding', 'p', { metadata: {} }, { offload })).rejects.toThrow('no')
    expect(tracked).toHaveLength(1)
  })
})
