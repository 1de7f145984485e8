import { describe, expect, it } from 'vitest'
import { changedPaths, differences, formatDifferences } from '../../../../src/library/testing/differences.ts'

describe('what is wanted of an object', () => {
  const seen = { metadata: { name: 'a', labels: { 'app/x': '1' } }, spec: { ports: [{ port: 1, name: 'x' }] } }

  it.each([
    ['nothing', {}, []],
    ['members that are there', { metadata: { name: 'a' } }, []],
    ['one that is not', { metadata: { uid: 'u' } }, ['.metadata.uid']],
    ['another value', { metadata: { name: 'b' } }, ['.metadata.name']],
    ['that a member is absent', { status: undefined }, []],
    ['that one is absent which is there', { spec: undefined }, ['.spec']],
    ['a key that is no word', { metadata: { labels: { 'app/x': '2' } } }, ['.metadata.labels["app/x"]']],
    ['items in part', { spec: { ports: [{ port: 1 }] } }, []],
    ['another item', { spec: { ports: [{ port: 2, name: 'y' }] } }, ['.spec.ports[0].port', '.spec.ports[0].name']],
    ['a list of another length', { spec: { ports: [] } }, ['.spec.ports']],
    ['a list where there is a record', { spec: [] }, ['.spec']],
    ['a matcher that fits', { metadata: { name: expect.any(String) as string } }, []],
    ['a matcher that does not', { metadata: { name: expect.any(Number) as number } }, ['.metadata.name']],
    ['null where there is a record', { spec: null }, ['.spec']],
  ])('%s', (_name, wanted, paths) => {
    expect(differences(wanted, seen).map(({ path }) => path)).toEqual(paths)
  })

  it('is told with both sides', () => {
    const wanted = { metadata: { name: expect.any(Number) as number, uid: 'u' }, spec: { ports: [] } }
    expect(formatDifferences(differences(wanted, seen))).toBe(`  .metadata.name
    wanted  Any<Number>
    seen    "a"
  .metadata.uid
    wanted  "u"
    seen    nothing
  .spec.ports
    wanted  []
    seen    [{"port":1,"name":"x"}]`)
    expect(formatDifferences(differences(wanted, seen), 1)).toMatch(/… and 2 more$/)
    expect(formatDifferences(differences('x'.repeat(10_000), 1)).length).toBeLessThan(600)
  })
})

it('finds the places where two versions differ, either way', () => {
  const before = { spec: { a: 1, b: [1], gone: 0 }, same: { x: [{ y: 1 }] } }
  const after = { spec: { a: 2, b: [1, 2] }, same: { x: [{ y: 1 }] }, status: {} }
  expect(changedPaths(before, after)).toEqual(['.spec.a', '.spec.b', '.spec.gone', '.status'])
  expect(changedPaths({ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] })).toEqual(['.a'])
  expect(changedPaths({ a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] })).toEqual(['.a'])
})
