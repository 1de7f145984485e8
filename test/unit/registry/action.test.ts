import { describe, expect, test } from 'vitest'
import type { AdmissionRequest } from '../../../src/admission/admission.ts'
import type { Action } from '../../../src/registry/registry.ts'
import { actionBody } from '../../../src/kinds/shared/action-body.ts'
import { ApiWorld } from '../../fakes/api-world.ts'

function worldWith(namespaced: boolean, asked: AdmissionRequest[] = []): ApiWorld {
  return new ApiWorld({
    admission: {
      mutate: (request) => {
        asked.push(request)
        return Promise.resolve({ ...request.object!, target: { name: 'mutated' } })
      },
      validate: (request) => Promise.resolve(void asked.push(request)),
    },
    actions: (schema): readonly Action[] => [
      {
        at: { group: '', version: 'v1', resource: 'pods', subresource: 'binding', namespaced },
        body: actionBody(schema, { group: '', version: 'v1', kind: 'Binding' }, {}),
        alsoVersions: [],
        run: async (object, context) => {
          await context.validate(object)
          return { kind: 'object', object }
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
})
