import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Container, Volume } from '../../../../../src/api/gen/kinds.ts'
import { FieldPath } from '../../../../../src/api/field-path.ts'
import { containersOf } from '../../../../../src/kinds/shared/pod-spec/container-scope.ts'
import { portWarnings } from '../../../../../src/kinds/shared/pod-spec/container-warnings.ts'
import { pathWarnings } from '../../../../../src/kinds/shared/pod-spec/template-warning-paths.ts'
import { outOfProportion } from '../../../../rigs/processor-time.ts'

const list = (size: number, item: (i: number) => object): object[] => Array.from({ length: size }, (_, i) => item(i))
const volume = (items: object): Volume => ({ name: 'v', configMap: { name: 'm', items } }) as Volume
const projected = (sources: object): Volume => ({ name: 'v', projected: { sources } }) as Volume

describe('paths of a volume that overlap', () => {
  /** Every pair looked at, and each text kept once: what is told, in so many words. */
  function everyPair(paths: readonly string[]): readonly string[] {
    const trimmed = paths.map((path) => path.replace(/\/+$/, ''))
    const clash = (a: string, b: string): boolean =>
      a !== '' && b !== '' && (`${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`))
    const texts = trimmed.flatMap((later, i) =>
      trimmed
        .slice(0, i)
        .filter((earlier) => clash(earlier, later))
        .map((earlier) => `${JSON.stringify(later)} with ${JSON.stringify(earlier)}`),
    )
    return [...new Set(texts)].map((text) => `volume "v" (ConfigMap "m"): overlapping paths: ${text}`)
  }

  it('are told pair by pair, each pair once', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'a.b', 'ab'), { minLength: 0, maxLength: 3 })
      .chain((steps) => fc.constantFrom('', '/', '//').map((end) => steps.join('/') + end))
    fc.assert(
      fc.property(fc.array(path, { maxLength: 9 }), (paths) => {
        expect(pathWarnings(volume(paths.map((each) => ({ key: 'k', path: each }))))).toEqual(everyPair(paths))
      }),
      { numRuns: 2_000 },
    )
  })

  it('are told with their sources', () => {
    const sources = [
      { configMap: { name: 'm', items: [{ path: 'a' }] } },
      { secret: { name: 's', items: [{ path: 'a/b' }] } },
      { serviceAccountToken: { path: 'a' } },
    ]
    expect(pathWarnings(projected(sources))).toEqual([
      'volume "v" (Projected): overlapping paths: "a/b" (Secret "s") with "a" (ConfigMap "m")',
      'volume "v" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a" (ConfigMap "m")',
      'volume "v" (Projected): overlapping paths: "a" (ServiceAccountToken) with "a/b" (Secret "s")',
    ])
  })

  it.each<[string, (size: number) => Volume]>([
    ['that are all different', (size) => volume(list(size, (i) => ({ path: `p${i}` })))],
    ['that are all the same', (size) => volume(list(size, () => ({ path: 'p' })))],
    ['below one that comes last', (size) => volume([...list(size, (i) => ({ path: `p/${i}` })), { path: 'p' }])],
    [
      'below one that comes again and again',
      (size) => volume(list(size, (i) => ({ path: i % 2 === 0 ? 'p' : `p/${i}` }))),
    ],
    ['beside one that comes again', (size) => volume(list(size, (i) => ({ path: i % 2 === 0 ? 'p' : `q${i}` })))],
    [
      'of many sources',
      (size) => projected(list(size, (i) => ({ secret: { name: `s${i}`, items: [{ path: `p${i}` }] } }))),
    ],
    ['of slashes', (size) => volume([{ path: `${'/'.repeat(10 * size)}x` }, { path: 'a' }])],
  ])('are found in time among thousands %s', (_, make) => {
    expect(outOfProportion(8_000, (size) => pathWarnings(make(size)))).toBe('')
  })
})

describe('ports of containers that are in the way of each other', () => {
  interface Port {
    readonly containerPort: number
    readonly hostPort: number
    readonly hostIP: string
  }

  const warnings = (ports: readonly object[]): readonly string[] =>
    portWarnings(containersOf({ containers: [{ ports } as Container] }, FieldPath.root('spec')))

  function everyPair(ports: readonly Port[]): readonly string[] {
    const at = (i: number): string => `spec.containers[0].ports[${i}]`
    return ports.flatMap((a, i) => [
      ...(a.hostIP !== '' && a.hostPort === 0
        ? [
            `${at(i)}: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:${a.containerPort} Protocol: HostIP:${a.hostIP}}`,
          ]
        : []),
      ...ports.slice(0, i).flatMap((b, j) => {
        if (a.containerPort !== b.containerPort) return []
        const isSame = a.hostIP === b.hostIP && a.hostPort === b.hostPort
        const isOpen = a.hostPort === 0 || b.hostPort === 0
        const isOdd = a.hostPort === b.hostPort && (a.hostIP === '') !== (b.hostIP === '')
        const clash = isSame ? 'duplicate' : isOpen ? 'overlapping' : isOdd ? 'dangerously ambiguous' : ''
        return clash === '' ? [] : [`${at(i)}: ${clash} port definition with ${at(j)}`]
      }),
    ])
  }

  it('are told pair by pair', () => {
    const port = fc.record({
      containerPort: fc.constantFrom(1, 2),
      hostPort: fc.constantFrom(0, 1, 2),
      hostIP: fc.constantFrom('', '10.0.0.1', '10.0.0.2'),
    })
    fc.assert(
      fc.property(fc.array(port, { maxLength: 10 }), (ports) => {
        expect(warnings(ports)).toEqual(everyPair(ports))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each<[string, (i: number) => object]>([
    ['that are all different', (i) => ({ containerPort: i })],
    ['that are all the same', () => ({ containerPort: 1 })],
    ['of one number on different ports of the host', (i) => ({ containerPort: 1, hostPort: i + 1 })],
    ['of one number on different addresses', (i) => ({ containerPort: 1, hostPort: 1, hostIP: `10.0.${i}` })],
  ])('are found in time among thousands %s', (_, make) => {
    expect(outOfProportion(20_000, (size) => warnings(list(size, make)))).toBe('')
  })
})
