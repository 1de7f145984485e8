// References to the requests of a claim, and the configuration for drivers.
import type { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import type { ValueMap } from '../../api/value.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1123Label } from '../../schema/validation/formats.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { checkList, checkOpaque } from './device-names.ts'

const MAX_NAMES = 32

const NO_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

/** The names of requests, and `request/alternative` of those that have alternatives. */
export function requestNames(devices: ValueMap): ReadonlySet<string> {
  const names = new Set<string>()
  for (const request of mapsInPlace(devices, 'requests')) {
    const name = textOrEmpty(request, 'name')
    names.add(name)
    for (const alternative of mapsInPlace(request, 'firstAvailable'))
      names.add(`${name}/${textOrEmpty(alternative, 'name')}`)
  }
  return names
}

export interface ClaimScope {
  readonly check: Check
  readonly names: ReadonlySet<string>
}

export function checkReferences(part: ValueMap, at: FieldPath, scope: ClaimScope): void {
  checkList(textsInPlace(part, 'requests'), at.child('requests'), {
    check: scope.check,
    max: MAX_NAMES,
    item: (name, path) => checkReference(name, path, scope),
    key: (name) => name,
  })
}

export function checkReference(name: string, at: FieldPath, { check, names }: ClaimScope): void {
  const parts = name.split('/', 3)
  if (parts.length <= 2) for (const part of parts) check.format(at, part, dns1123Label(part))
  if (!names.has(name)) check.invalid(at, name, NO_REQUEST)
}

export function checkConfiguration(config: ValueMap, at: FieldPath, check: Check): void {
  check.fields(config, at, 'resource.k8s.io_v1.DeviceConfiguration')
  const opaque = mapOrAbsent(config, 'opaque')
  if (opaque === undefined) return
  const place = at.child('opaque')
  checkDriverName(textOrEmpty(opaque, 'driver'), place.child('driver'), check)
  checkOpaque(opaque['parameters'], place.child('parameters'), check)
}
