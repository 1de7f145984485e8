import { describe, expect, it } from 'vitest'
import type { AdmissionPlugin, AdmissionRequest } from '../../../src/admission/admission.ts'
import { admitInOrder } from '../../../src/admission/chain.ts'
import type { ApiObject } from '../../../src/api/object.ts'
import { ApiError } from '../../../src/api/status.ts'
import { requestFor } from './request-for.ts'

const SIGNAL = new AbortController().signal

function withMark(object: ApiObject, mark: string): ApiObject {
  const { marks } = object
  return { ...object, marks: typeof marks === 'string' ? marks + mark : mark }
}

/** Leaves its mark on every object that it is asked about. */
function marker(mark: string, more: AdmissionPlugin = {}): AdmissionPlugin {
  return {
    mutate: ({ object }) => withMark(object!, mark),
    ...more,
  }
}

function pods(more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return requestFor('pods', { metadata: { name: 'p' } }, more)
}

describe('a chain of plugins', () => {
  it('lets each see what the one before made of the object', async () => {
    const admission = admitInOrder([marker('a'), marker('b'), marker('c')])
    expect(await admission.mutate(pods(), SIGNAL)).toMatchObject({ marks: 'abc' })
  })

  it('asks only those who care for the resource and the operation', async () => {
    const admission = admitInOrder([
      marker('1', { resources: ['pods'] }),
      marker('2', { resources: ['ingresses.networking.k8s.io'] }),
      marker('3', { operations: ['UPDATE'] }),
      marker('4', { resources: ['pods', 'nodes'], operations: ['CREATE', 'UPDATE'] }),
      marker('5'),
    ])
    const asked = async (request: AdmissionRequest): Promise<unknown> =>
      (await admission.mutate(request, SIGNAL))?.['marks']
    expect(await asked(pods())).toBe('145')
    expect(await asked(pods({ operation: 'UPDATE' }))).toBe('1345')
    expect(await asked(requestFor('configmaps', { metadata: { name: 'c' } }))).toBe('5')
    expect(await asked(requestFor('ingresses', { metadata: { name: 'i' } }, {}, 'networking.k8s.io'))).toBe('25')
  })

  it('gives nothing where nobody changes the object', async () => {
    const request = requestFor('configmaps', { metadata: { name: 'c' } })
    const same: AdmissionPlugin = { mutate: ({ object }) => object }
    const later: AdmissionPlugin = { mutate: async () => undefined }
    const admission = admitInOrder([marker('1', { resources: ['pods'] }), same, later])
    expect(await admission.mutate(request, SIGNAL)).toBeUndefined()
  })

  it('does not look at an object that no plugin looks at', async () => {
    const request: AdmissionRequest = {
      ...requestFor('configmaps', {}),
      get object(): never {
        throw new Error('somebody looked')
      },
    }
    const idle: AdmissionPlugin = { mayRepeat: true, mutate: () => undefined, validate: () => {} }
    const admission = admitInOrder([marker('1', { resources: ['pods'] }), idle])
    expect(await admission.mutate(request, SIGNAL)).toBeUndefined()
    await admission.validate(request, SIGNAL)
  })

  it.each([
    [[undefined, undefined], false],
    [[undefined, false], false],
    [[false, true, undefined], true],
  ])('of %j tells whether extensions take part in a phase: %j', (answers, expected) => {
    const chain = answers.map((answer) => ({
      validate: () => {},
      ...(answer === undefined ? {} : { hasExtensions: () => answer }),
    }))
    const admission = admitInOrder(chain)
    expect([admission.hasExtensions('validate'), admission.hasExtensions('mutate')]).toEqual([expected, false])
  })

  it('ends at the first that refuses (W-446)', async () => {
    const asked: string[] = []
    const refuse = (name: string): AdmissionPlugin => ({
      validate: () => {
        asked.push(name)
        throw new ApiError('Forbidden', name)
      },
    })
    const admission = admitInOrder([refuse('a'), refuse('b')])
    await expect(async () => admission.validate(pods(), SIGNAL)).rejects.toThrow('a')
    expect(asked).toEqual(['a'])
  })

  it('is walked once more, and no more than that, where a plugin asks for it (W-447)', async () => {
    const late: AdmissionPlugin = {
      mayRepeat: true,
      mutate: ({ object, walk }): ApiObject => {
        walk!.repeat()
        return withMark(object!, walk!.isSecond ? 'L' : 'l')
      },
    }
    const admission = admitInOrder([marker('a'), late])
    expect(await admission.mutate(pods(), SIGNAL)).toMatchObject({ marks: 'alaL' })
  })
})
