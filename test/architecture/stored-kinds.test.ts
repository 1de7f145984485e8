// Plugins and controllers get objects in their stored version. A check for another version never holds, and the code behind it never runs.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { API_LEVELS } from '../../src/api/level.ts'
import { canonicalJson } from '../../src/codec/json-encode.ts'
import { builtInResources } from '../../src/kinds/kinds.ts'
import { allBuiltInGroups } from '../../src/schema/built-in-resources.ts'
import { loadBuiltInSchema } from '../../src/schema/schema.ts'
import { parseSource, readSources, type SourceFile } from './source.ts'

const top = path.join(import.meta.dirname, '../..')
/** The rooms below registry check what clients send, in the version of the request. */
const ROOMS = /^src\/(plugins|controllers|server|workers|library)\//

const stored = new Set(
  API_LEVELS.flatMap((level) =>
    [...builtInResources(loadBuiltInSchema(level), canonicalJson, { groups: allBuiltInGroups(level) }).all()].map(
      ({ storedKind: { group, version, kind } }) => `${group || 'core'}_${version}.${kind}`,
    ),
  ),
)

const kinds = new Set([...stored].map(withoutVersion))

function withoutVersion(name: string): string {
  return name.replace(/_.*\./, '.')
}

/** Whether only other versions of the kind are stored. Kinds that are never stored, such as Binding, have the version of the request. */
function isAnotherVersion(name: string): boolean {
  return !stored.has(name) && kinds.has(withoutVersion(name))
}

/** The names with which the file calls `isKind`, given as a text, as a constant of the file, or with a prefix that is a constant. */
function namesIn({ text }: SourceFile): readonly string[] {
  const constants = new Map([...text.matchAll(/const (\w+) = '([^']+)'/g)].map(([, name, value]) => [name, value]))
  return [...text.matchAll(/\bisKind\([^,()]+(?:\([^()]*\))?, (?:'([^']+)'|`\$\{(\w+)\}([^`]+)`|(\w+))\)/g)].flatMap(
    ([, plain, prefix, rest, constant]) => {
      const known = plain ?? constants.get(constant ?? prefix)
      return known === undefined ? [] : [`${known}${rest ?? ''}`]
    },
  )
}

describe('the stored version', () => {
  it('is the one that plugins and controllers look for', () => {
    const files = readSources(top, 'src').filter((file) => ROOMS.test(file.path))
    const looked = files.flatMap((file) => namesIn(file).map((name) => `${file.path}: ${name}`))
    expect(looked.length).toBeGreaterThan(40)
    expect(looked.filter((line) => isAnotherVersion(line.slice(line.indexOf(' ') + 1)))).toEqual([])
  })

  it.each([
    ['a text', `isKind(object, 'certificates.k8s.io_v1.ClusterTrustBundle')`],
    ['a constant', `const BUNDLE = 'certificates.k8s.io_v1.ClusterTrustBundle'\nisKind(read(a), BUNDLE)`],
    ['a constant prefix', `const GROUP = 'certificates.k8s.io_v1'\nisKind(a, \`\${GROUP}.ClusterTrustBundle\`)`],
  ])('is found in %s', (_, text) => {
    const names = namesIn(parseSource('src/plugins/a.ts', text))
    expect(names).toEqual(['certificates.k8s.io_v1.ClusterTrustBundle'])
    expect(names.filter(isAnotherVersion)).toEqual(names)
  })
})
