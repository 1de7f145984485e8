// Ports of a pod's containers that get in each other's way, or seem to.
import type { FieldPath } from '../api/field-path.ts'
import type { ValueMap } from '../api/value.ts'
import { containersIn, numberIn, partsIn, textIn, warningAt } from './pod-parts.ts'

interface PlacedPort {
  readonly port: ValueMap
  readonly at: FieldPath
}

export function portWarnings(spec: ValueMap, specAt: FieldPath): readonly string[] {
  const warnings: string[] = []
  const byNumber = new Map<string, PlacedPort[]>()
  for (const { container, at: containerAt } of containersIn(spec, specAt)) {
    for (const [i, port] of partsIn(container, 'ports').entries()) {
      const at = containerAt.child('ports').index(i)
      if (textIn(port, 'hostIP') !== '' && numberIn(port, 'hostPort') === 0) {
        warnings.push(warningAt(at, `hostIP set without hostPort: ${shown(port)}`))
      }
      const key = `${numberIn(port, 'containerPort')}/${textIn(port, 'protocol')}`
      const others = byNumber.get(key) ?? []
      byNumber.set(key, [...others, { port, at }])
      warnings.push(...others.flatMap((other) => clash({ port, at }, other)))
    }
  }
  return warnings
}

function clash({ port, at }: PlacedPort, other: PlacedPort): readonly string[] {
  const [ip, otherIp] = [textIn(port, 'hostIP'), textIn(other.port, 'hostIP')]
  const [number, otherNumber] = [numberIn(port, 'hostPort'), numberIn(other.port, 'hostPort')]
  if (ip === otherIp && number === otherNumber)
    return [warningAt(at, `duplicate port definition with ${other.at.toString()}`)]
  const overlaps = number === 0 || otherNumber === 0 || (number === otherNumber && (ip === '' || otherIp === ''))
  return overlaps ? [warningAt(at, `overlapping port definition with ${other.at.toString()}`)] : []
}

function shown(port: ValueMap): string {
  const members = [
    ['Name', textIn(port, 'name')],
    ['HostPort', numberIn(port, 'hostPort')],
    ['ContainerPort', numberIn(port, 'containerPort')],
    ['Protocol', textIn(port, 'protocol')],
    ['HostIP', textIn(port, 'hostIP')],
  ]
  return `{${members.map(([name, value]) => `${name}:${value}`).join(' ')}}`
}
