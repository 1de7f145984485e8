import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readField } from '../../../src/api/selector-fields.ts'
import { parseFieldSelector } from '../../../src/api/selector-fields.ts'
import { parseLabelSelector } from '../../../src/api/selector-text.ts'
import { matchesLabels } from '../../../src/api/selector.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { fieldText, matcherOf } from '../../../src/store/selection.ts'
import { BytesObject } from '../../../src/store/stored-object.ts'
import { nodes, pods } from '../../corpora/stored-resources.ts'

function stored(object: ValueMap): BytesObject {
  return new BytesObject({ namespace: 'd', name: 'a' }, 1, Buffer.from(JSON.stringify(object)))
}

describe('selecting on stored bytes', () => {
  it('judges labels as the parsed object would be judged, whatever they hold', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', '"', '\\', ':', ',', 'ü'), maxLength: 4 })
    const selectors = ['a', '!a', 'a=b', 'a!=b', 'a in (b,ab)', 'a notin (a)', 'a/b=a', 'b=']
    fc.assert(
      fc.property(fc.dictionary(word, word), fc.constantFrom(...selectors), (labels, text) => {
        const selector = parseLabelSelector(text)
        const object = stored({ kind: 'Pod', metadata: { name: 'a', labels } })
        expect(matcherOf(pods, { labels: selector })?.matches(object)).toBe(matchesLabels(selector, labels))
      }),
    )
  })

  it('reads fields as they are in the parsed object', () => {
    const scalar = fc.oneof(fc.string({ maxLength: 5 }), fc.boolean(), fc.nat(), fc.constant(null), fc.constant({}))
    const object = fc.record(
      {
        spec: fc.record({ nodeName: scalar, hostNetwork: scalar }, { requiredKeys: [] }),
        status: fc.record({ phase: scalar, podIPs: fc.array(fc.record({ ip: scalar })) }, { requiredKeys: [] }),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(object, (parts) => {
        const value: ValueMap = JSON.parse(JSON.stringify({ metadata: { name: 'a' }, ...parts })) as ValueMap
        for (const field of pods.selectableFields) {
          expect(fieldText(Buffer.from(JSON.stringify(value)), field)).toBe(readField(value, field))
        }
      }),
    )
  })

  it('tells what pins it down', () => {
    const fields = parseFieldSelector('metadata.name=a,metadata.namespace=d,spec.nodeName=n1,status.phase=Running')
    const matcher = matcherOf(pods, { fields })
    expect(matcher).toMatchObject({ name: 'a', namespace: 'd', indexed: { value: 'n1' } })
    expect(matcherOf(nodes, { fields: parseFieldSelector('metadata.name!=a') })).toMatchObject({ name: undefined })
  })

  it('is nothing to judge where everything is wanted', () => {
    expect(matcherOf(pods, undefined)).toBeUndefined()
    expect(matcherOf(pods, { labels: parseLabelSelector(''), fields: parseFieldSelector('') })).toBeUndefined()
  })
})
