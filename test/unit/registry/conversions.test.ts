import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/api/status.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import type { KindVersions } from '../../../src/patch/ownership.ts'
import { withConversions } from '../../../src/registry/conversions.ts'
import { kindVersions } from '../../../src/registry/kind-versions.ts'

const signal = new AbortController().signal

function versionsWith(convertElsewhere?: KindVersions['convertElsewhere']): KindVersions {
  return kindVersions({
    shape: () => undefined,
    convert: (object, apiVersion) => ({ ...object, apiVersion }),
    ...(convertElsewhere === undefined ? {} : { convertElsewhere }),
  })
}

const work = (versions: KindVersions): readonly ValueMap[] => [
  versions.convert({ n: 1 }, 'g/v2'),
  versions.convert(versions.convert({ n: 2 }, 'g/v2'), 'g/v3'),
]

describe('ownership in versions that are converted elsewhere', () => {
  it('is settled at once if no version is converted elsewhere', async () => {
    expect(await withConversions(versionsWith(), work, { signal, isVital: true })).toEqual([
      { n: 1, apiVersion: 'g/v2' },
      { n: 2, apiVersion: 'g/v3' },
    ])
  })

  it('is settled with objects as they were converted, each asked for once', async () => {
    const asked: string[] = []
    const versions = versionsWith((object, apiVersion) => {
      asked.push(`${JSON.stringify(object)} ${apiVersion}`)
      return Promise.resolve({ ...object, by: apiVersion })
    })
    expect(await withConversions(versions, work, { signal, isVital: true })).toEqual([
      { n: 1, by: 'g/v2', apiVersion: 'g/v2' },
      { n: 2, by: 'g/v3', apiVersion: 'g/v3' },
    ])
    expect(asked).toEqual(['{"n":1} g/v2', '{"n":2} g/v2', '{"n":2,"by":"g/v2","apiVersion":"g/v2"} g/v3'])
  })

  it('goes on without asking where objects are converted without end', async () => {
    let asked = 0
    const versions = versionsWith((object) => {
      asked++
      return Promise.resolve(object)
    })
    const another = (given: KindVersions): ValueMap => given.convert({ n: asked }, 'g/v2')
    expect(await withConversions(versions, another, { signal, isVital: true })).toEqual({ n: 100, apiVersion: 'g/v2' })
    expect(asked).toBe(100)
  })

  it('fails with the conversion only where it has to', async () => {
    const versions = versionsWith(() => Promise.reject(new ApiError('', 'no webhook')))
    await expect(withConversions(versions, work, { signal, isVital: true })).rejects.toThrow('no webhook')
    expect(await withConversions(versions, work, { signal, isVital: false })).toHaveLength(2)
  })
})
