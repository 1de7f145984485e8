import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyInType, namesOf, namespaceInType, normalizePrefix } from '../../../src/store/keys.ts'
import { pods, nodes } from '../../corpora/stored-resources.ts'

describe('the key of an object (R-182)', () => {
  it('is its namespace and its name, as they stand', () => {
    expect(keyInType({ resource: pods, namespace: 'kube-system', name: 'a.b-c' })).toBe('kube-system/a.b-c')
    expect(keyInType({ resource: nodes, namespace: '', name: 'system:node' })).toBe('system:node')
  })

  const impossible = {
    'an empty name': { resource: pods, namespace: 'd', name: '' },
    'no namespace where there must be one': { resource: pods, namespace: '', name: 'a' },
    'a namespace where there is none': { resource: nodes, namespace: 'd', name: 'a' },
    'a very long name': { resource: pods, namespace: 'd', name: 'x'.repeat(2_000) },
    'half a character': { resource: pods, namespace: 'd', name: 'a\ud800' },
  }
  it.each(Object.entries(impossible))('is none for %s', (_, key) => {
    expect(keyInType(key)).toBeUndefined()
  })

  it.each(['/', '..', '.', 'a/b', '../x', '%2e', 'a%2Fb', '\0', 'ü', '😀', ' ', '\n'])(
    'holds %j in a single segment that cannot be mistaken for another',
    (name) => {
      const key = keyInType({ resource: pods, namespace: 'd', name }) ?? ''
      expect(key).toMatch(/^d\/[\x21-\x2e\x30-\x7e]+$/)
      expect(key).not.toMatch(/\/\.{1,2}$/)
      expect(namesOf(pods, key)).toEqual({ namespace: 'd', name })
    },
  )

  it('leads back to the names, whatever they are, and two objects never share one', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'A', '-', '.', '/', '%', '2', ' ', '\0', 'ü', '€', '😀', '\ud800'),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(name, name, name, name, (namespace, a, other, b) => {
        const key = keyInType({ resource: pods, namespace, name: a })
        fc.pre(key !== undefined)
        expect(namesOf(pods, key)).toEqual({ namespace, name: a })
        expect(key.startsWith(namespaceInType(namespace) ?? '?')).toBe(true)
        const second = keyInType({ resource: pods, namespace: other, name: b })
        expect(second === key).toBe(namespace === other && a === b)
      }),
    )
  })

  it.each(['a', 'a/b/c', '/b', 'a/', 'a/%', 'a/%2e', 'a/%41', 'a/%ff'])('is not %j: no names make it', (key) => {
    expect(namesOf(pods, key)).toBeUndefined()
  })

  it('has a prefix in one form', () => {
    expect(['/registry', 'registry/', '//registry//'].map(normalizePrefix)).toEqual(Array(3).fill('/registry'))
    expect(normalizePrefix('/')).toBe('')
  })
})
