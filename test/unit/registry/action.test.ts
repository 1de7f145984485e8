import { describe, expect, test } from 'vitest'
import { type Admission, ADMIT_ALL, type AdmissionRequest } from '../../../src/admission/admission.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import type { Action, ActionAnswer } from '../../../src/registry/registry.ts'
import { actionBody } from '../../../src/kinds/shared/action-body.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { BUILT_IN } from '../../corpora/built-in-kinds.ts'
import { actIn } from '../../rigs/run-action.ts'

const world = await openWorld()

/** A binding of a pod that changes nothing, among admission plugins that change its target. */
function bind(body: object, namespaced = true, asked: AdmissionRequest[] = []): Promise<ActionAnswer> {
  const admission: Admission = {
    ...ADMIT_ALL,
    mutate: (request) => {
      asked.push(request)
      return Promise.resolve({ ...request.object!, target: { name: 'mutated' } })
    },
    validate: (request) => Promise.resolve(void asked.push(request)),
  }
  const action: Action = {
    at: { group: '', version: 'v1', resource: 'pods', subresource: 'binding', namespaced },
    body: actionBody(BUILT_IN, { group: '', version: 'v1', kind: 'Binding' }, {}),
    alsoVersions: [],
    run: async (object, context) => {
      await context.validate(object)
      return { kind: 'object', object }
    },
  }
  return actIn(world, action, { body, name: 'p', parts: { ...world.parts, admission } })
}

describe('an action', () => {
  test('shows admission a create of its body at its own place, and works with what comes back', async () => {
    const asked: AdmissionRequest[] = []
    const answer = await bind({ metadata: { name: 'x' }, target: {} }, true, asked)
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
    const answer = await bind({ metadata: { name: 'x' } })
    expect(answer).toMatchObject({ object: { metadata: { namespace: 'ns' } } })
  })

  test('refuses a body that names another namespace', async () => {
    const act = bind({ metadata: { namespace: 'other' } })
    await expect(act).rejects.toMatchObject({ reason: 'BadRequest' })
  })

  test('drops a namespace where it has none', async () => {
    const answer = await bind({ metadata: { namespace: 'other' } }, false)
    expect(answer).toMatchObject({ object: { metadata: {} } })
    expect((answer as { object: { metadata: object } }).object.metadata).not.toHaveProperty('namespace')
  })

  test('shows who owns the fields that were sent', async () => {
    const asked: AdmissionRequest[] = []
    const answer = await bind(
      {
        metadata: { name: 'x', labels: { a: 'b' } },
      },
      true,
      asked,
    )
    const { managedFields } = (answer as { object: ApiObject }).object.metadata
    expect(managedFields).toMatchObject([{ manager: 'test', fieldsV1: { 'f:metadata': { 'f:labels': {} } } }])
    expect(JSON.stringify(managedFields)).not.toContain('f:target')
    for (const { object } of asked) expect(object?.metadata['managedFields']).toEqual(managedFields)
  })
})
