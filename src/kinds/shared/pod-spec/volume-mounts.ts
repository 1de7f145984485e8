// Volume mounts and volume devices of containers.
import type { Container, VolumeDevice, VolumeMount } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { checkDescendingPath, hasBackstep } from '../paths.ts'
import type { ContainerScope } from './container-scope.ts'

export function checkMounts(container: Container, at: FieldPath<Container>, scope: ContainerScope): void {
  if (container.volumeMounts !== undefined) checkVolumeMounts(container, at.child('volumeMounts'), scope)
  if (container.volumeDevices !== undefined) checkVolumeDevices(container, at.child('volumeDevices'), scope)
}

function checkVolumeMounts(
  container: Container,
  list: FieldPath<readonly VolumeMount[]>,
  { check, volumes }: ContainerScope,
): void {
  const { volumeMounts = [], volumeDevices = [] } = container
  const deviceNames = new Set(volumeDevices.map(({ name }) => name))
  const devicePaths = new Set(volumeDevices.map(({ devicePath }) => devicePath))
  const paths = new Set<string>()
  for (const [i, mount] of volumeMounts.entries()) {
    const at = list.index(i)
    const { name, mountPath: path } = mount
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
    check.fields(mount, at, 'core_v1.VolumeMount', 'bindMountOptions')
    if (mount.bindMountOptions !== undefined && volumes.get(name)?.image !== undefined) {
      const detail = 'bindMountOptions may not be used with image volumes'
      check.invalid(at.child('bindMountOptions'), mount.bindMountOptions, detail)
    }
  }
}

/** The reference reports some faults of an item at the list. */
function checkSubPaths(
  mount: VolumeMount,
  at: FieldPath<VolumeMount>,
  list: FieldPath<readonly VolumeMount[]>,
  check: Check,
): void {
  const { subPath: path, subPathExpr: expression } = mount
  if (path !== undefined) checkDescendingPath(path, list.place('subPath'), check)
  if (expression === undefined) return
  if (path !== undefined) {
    check.invalid(at.child('subPathExpr'), expression, 'subPathExpr and subPath are mutually exclusive')
  }
  checkDescendingPath(expression, list.place('subPathExpr'), check)
}

function checkPropagation(mount: VolumeMount, container: Container, list: FieldPath, check: Check): void {
  const { mountPropagation: propagation } = mount
  if (propagation === undefined) return
  check.fields(mount, list, 'core_v1.VolumeMount', 'mountPropagation')
  if (propagation === 'Bidirectional' && container.securityContext?.privileged !== true) {
    const detail = 'Bidirectional mount propagation is available only to privileged containers'
    check.forbidden(list.place('mountPropagation'), detail)
  }
}

function checkRecursiveReadOnly(mount: VolumeMount, list: FieldPath, check: Check): void {
  const { recursiveReadOnly: mode, mountPropagation = 'None' } = mount
  if (mode === undefined) return
  check.fields(mount, list, 'core_v1.VolumeMount', 'recursiveReadOnly')
  if (mode !== 'Enabled' && mode !== 'IfPossible') return
  const at = list.place('recursiveReadOnly')
  if (mount.readOnly !== true) check.forbidden(at, 'may only be specified when readOnly is true')
  if (mountPropagation !== 'None') {
    check.forbidden(at, 'may only be specified when mountPropagation is None or not specified')
  }
}

function checkVolumeDevices(
  container: Container,
  list: FieldPath<readonly VolumeDevice[]>,
  { check, volumes }: ContainerScope,
): void {
  const { volumeMounts = [], volumeDevices = [] } = container
  const mountNames = new Set(volumeMounts.map(({ name }) => name))
  const mountPaths = new Set(volumeMounts.map(({ mountPath }) => mountPath))
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of volumeDevices.entries()) {
    const nameAt = list.index(i).child('name')
    const pathAt = list.index(i).child('devicePath')
    const { name, devicePath: path } = device
    const volume = volumes.get(name)
    check.fields(device, list.index(i), 'core_v1.VolumeDevice', 'name')
    if (names.has(name)) check.invalid(nameAt, name, 'must be unique')
    if (volume === undefined) check.notFound(nameAt, name)
    else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
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
