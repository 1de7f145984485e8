// Warnings about the containers of a pod: amounts, environment, ports.
import type { ValueMap } from '../api/value.ts'
import { isMap, own } from '../api/value.ts'
import { mapIn, mapsIn, textIn } from './members.ts'
import { fractionWarnings } from './warnings.ts'

/** Every container of a pod with its path, in the order in which they are spoken of. */
export function containersIn(spec: ValueMap, at: string): readonly (readonly [ValueMap, string])[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    mapsIn(spec, list).map((container, i) => [container, `${at}.${list}[${i}]`] as const),
  )
}

export function containerWarnings(container: ValueMap, path: string): readonly string[] {
  const resources = mapIn(container, 'resources')
  return [
    ...['memory', 'ephemeral-storage'].flatMap((name) =>
      ['limits', 'requests'].flatMap((kind) =>
        fractionWarnings(`${path}.resources.${kind}`, mapIn(resources, kind), name),
      ),
    ),
    ...environmentWarnings(container, path),
  ]
}

/** A variable may be said again where its new value builds on the old one. */
function environmentWarnings(container: ValueMap, path: string): readonly string[] {
  const seen = new Set<string>()
  return mapsIn(container, 'env').flatMap((variable, i) => {
    const [name, value] = [textIn(variable, 'name'), textIn(variable, 'value')]
    if (!seen.has(name)) {
      seen.add(name)
      return []
    }
    const reference = `$(${name})`
    if (!isMap(own(variable, 'valueFrom')) && value !== reference && value.includes(reference)) return []
    return [
      `${path}.env[${i}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ]
  })
}

interface Port {
  readonly path: string
  readonly hostPort: number
  readonly hostIP: string
}

/** Ports of all containers of a pod are in one another's way. */
export function portWarnings(containers: readonly (readonly [ValueMap, string])[]): readonly string[] {
  const known = new Map<string, Port[]>()
  const warnings: string[] = []
  for (const [container, path] of containers) {
    for (const [i, given] of mapsIn(container, 'ports').entries()) {
      const hostPort = own(given, 'hostPort')
      const port: Port = {
        path: `${path}.ports[${i}]`,
        hostPort: typeof hostPort === 'number' ? hostPort : 0,
        hostIP: textIn(given, 'hostIP'),
      }
      const key = JSON.stringify([own(given, 'containerPort'), own(given, 'protocol')])
      const others = known.get(key) ?? []
      for (const other of others) {
        const clash = clashOf(port, other)
        if (clash !== undefined) warnings.push(`${port.path}: ${clash} port definition with ${other.path}`)
      }
      known.set(key, [...others, port])
    }
  }
  return warnings
}

function clashOf(a: Port, b: Port): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping'
  const oneIsOpen = (a.hostIP === '') !== (b.hostIP === '')
  return a.hostPort === b.hostPort && oneIsOpen ? 'dangerously ambiguous' : undefined
}
