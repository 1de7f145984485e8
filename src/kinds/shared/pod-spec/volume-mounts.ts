// Volume mounts and volume devices of containers.
import type { FieldPath } from '../../../api/field-path.ts'
import {
  isGiven,
  isTrue,
  mapOrEmpty,
  mapsInPlace,
  textOfEach,
  textOrAbsent,
  textOrEmpty,
} from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkDescendingPath, hasBackstep } from '../paths.ts'
import type { ContainerScope } from './container-scope.ts'

export function checkMounts(container: ValueMap, at: FieldPath, scope: ContainerScope): void {
  if (isGiven(container, 'volumeMounts')) checkVolumeMounts(container, at.child('volumeMounts'), scope)
  if (isGiven(container, 'volumeDevices')) checkVolumeDevices(container, at.child('volumeDevices'), scope)
}

function checkVolumeMounts(container: ValueMap, list: FieldPath, { check, volumes }: ContainerScope): void {
  const deviceNames = new Set(textOfEach(container, 'volumeDevices', 'name'))
  const devicePaths = new Set(textOfEach(container, 'volumeDevices', 'devicePath'))
  const paths = new Set<string>()
  for (const [i, mount] of mapsInPlace(container, 'volumeMounts').entries()) {
    const at = list.index(i)
    const name = textOrEmpty(mount, 'name')
    const path = textOrEmpty(mount, 'mountPath')
    check.fields(mount, at, 'core_v1.VolumeMount', 'name')
    if (!volumes.has(name)) check.notFound(at.child('name'), name)
    check.fields(mount, at, 'core_v1.VolumeMount', 'mountPath')
    if (paths.has(path)) check.invalid(at.child('mountPath'), path, 'must be unique')
    paths.add(path)
    if (deviceNames.has(name)) check.invalid(at.child('name'), name, 'must not already exist in volumeDevices')
    if (devicePaths.has(path)) {
      check.invalid(at.child('mountPath'), path, 'must not already exist as a path in volumeDevices')
    }
    checkSubPaths(mount, at, list, check)
    checkPropagation(mount, container, list, check)
    checkRecursiveReadOnly(mount, list, check)
  }
}

/** The reference reports some faults of an item at the list. */
function checkSubPaths(mount: ValueMap, at: FieldPath, list: FieldPath, check: Check): void {
  const path = textOrEmpty(mount, 'subPath')
  const expression = textOrEmpty(mount, 'subPathExpr')
  if (path !== '') checkDescendingPath(path, list.child('subPath'), check)
  if (expression === '') return
  if (path !== '') {
    check.invalid(at.child('subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive')
  }
  checkDescendingPath(expression, list.child('subPathExpr'), check)
}

function checkPropagation(mount: ValueMap, container: ValueMap, list: FieldPath, check: Check): void {
  const propagation = textOrAbsent(mount, 'mountPropagation')
  if (propagation === undefined) return
  check.fields(mount, list, 'core_v1.VolumeMount', 'mountPropagation')
  if (propagation === 'Bidirectional' && !isTrue(mapOrEmpty(container, 'securityContext'), 'privileged')) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers'
    check.forbidden(list.child('mountPropagation'), detail)
  }
}

function checkRecursiveReadOnly(mount: ValueMap, list: FieldPath, check: Check): void {
  const mode = textOrAbsent(mount, 'recursiveReadOnly')
  if (mode === undefined) return
  check.fields(mount, list, 'core_v1.VolumeMount', 'recursiveReadOnly')
  if (mode !== 'Enabled' && mode !== 'IfPossible') return
  const at = list.child('recursiveReadOnly')
  if (!isTrue(mount, 'readOnly')) check.forbidden(at, 'may only be specified when readOnly is true')
  if ((textOrAbsent(mount, 'mountPropagation') ?? 'None') !== 'None') {
    check.forbidden(at, 'may only be specified when mountPropagation is None or not specified')
  }
}

function checkVolumeDevices(container: ValueMap, list: FieldPath, { check, volumes }: ContainerScope): void {
  const mountNames = new Set(textOfEach(container, 'volumeMounts', 'name'))
  const mountPaths = new Set(textOfEach(container, 'volumeMounts', 'mountPath'))
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of mapsInPlace(container, 'volumeDevices').entries()) {
    const nameAt = list.index(i).child('name')
    const pathAt = list.index(i).child('devicePath')
    const name = textOrEmpty(device, 'name')
    const path = textOrEmpty(device, 'devicePath')
    const volume = volumes.get(name)
    check.fields(device, list.index(i), 'core_v1.VolumeDevice', 'name')
    if (names.has(name)) check.invalid(nameAt, name, 'must be unique')
    if (volume === undefined) check.notFound(nameAt, name)
    else if (!isGiven(volume, 'persistentVolumeClaim') && !isGiven(volume, 'ephemeral')) {
      const detail = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      check.invalid(nameAt, name, detail)
    }
    check.fields(device, list.index(i), 'core_v1.VolumeDevice', 'devicePath')
    if (paths.has(path)) check.invalid(pathAt, path, 'must be unique')
    if (hasBackstep(path)) check.invalid(pathAt, path, "can not contain backsteps ('..')")
    else paths.add(path)
    if (mountNames.has(name)) check.invalid(nameAt, name, 'must not already exist in volumeMounts')
    if (mountPaths.has(path)) check.invalid(pathAt, path, 'must not already exist as a path in volumeMounts')
    if (name !== '') names.add(name)
  }
}
