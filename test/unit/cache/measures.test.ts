import { expect, it } from 'vitest'
import { CacheMeasures } from '../../../src/cache/measures.ts'

const PODS = { group: '', resource: 'pods' }

it('what is counted of a type whose series are gone is counted anew', () => {
  const measures = new CacheMeasures()
  measures.of(PODS).received.value += 2
  measures.received.forget(() => true)
  measures.forgetFound()
  measures.of(PODS).received.value++
  expect([...measures.received.all()].map(({ values, series }) => [...values, series.value])).toEqual([['', 'pods', 1]])
})
