// CSI nodes: the CSI drivers of a node.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrEmpty, mapsInPlace, textOrEmpty, textsInPlace } from '../../api/members.ts'
import { specOf } from '../../api/object-members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { AGE, integer, length, NAME, tableOf } from '../../codec/tables/column.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { longerThan, qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { placedMaps } from '../shared/placed-items.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'

const SPEC = FieldPath.root('spec')
const MAX_NODE_ID = 256

function checkCsiNode(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const names = new Set<string>()
  for (const [driver, at] of placedMaps(specOf(object), 'drivers', SPEC)) {
    const name = textOrEmpty(driver, 'name')
    checkDriverName(name, at.child('name'), check)
    const id = textOrEmpty(driver, 'nodeID')
    check.fields(driver, at, 'storage.k8s.io_v1.CSINodeDriver')
    if (longerThan(id, MAX_NODE_ID)) check.invalid(at.child('nodeID'), id, `must be ${MAX_NODE_ID} characters or less`)
    check.fields(mapOrEmpty(driver, 'allocatable'), at.child('allocatable'), 'storage.k8s.io_v1.VolumeNodeResources')
    check.unique(names, name, at.child('name'))
    const keys = new Set<string>()
    for (const key of textsInPlace(driver, 'topologyKeys')) {
      if (key === '') check.required(at)
      check.unique(keys, key, at)
      check.format(at, key, qualifiedName(key))
    }
  }
}

export const CSI_NODE: Kind = {
  validation: {
    create: checkCsiNode,
    update: (object, stored, check) => {
      checkCsiNode(object, check)
      const driversOf = (node: ValueMap): readonly ValueMap[] => mapsInPlace(specOf(node), 'drivers')
      const old = new Map(driversOf(stored).map((driver) => [textOrEmpty(driver, 'name'), driver]))
      for (const driver of driversOf(object)) {
        const before = old.get(textOrEmpty(driver, 'name'))
        if (before === undefined) continue
        const { allocatable: _now, ...now } = driver
        const { allocatable: _then, ...then } = before
        if (!equalValues(now, then))
          check.invalid(SPEC.child('drivers'), shownAs(now, formOf('storage.k8s.io_v1.CSINodeDriver')), IMMUTABLE)
      }
    },
  },
  strategy: { conditionalUpdate: true, answersDeleteWithObject: true },
  columns: tableOf([NAME, integer('Drivers', 'How many drivers the node has.', length('spec', 'drivers')), AGE]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
}
