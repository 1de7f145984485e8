// CSI nodes: the CSI drivers of a node.
import { FieldPath } from '../../api/field-path.ts'
import type { CSINode } from '../../api/gen/kinds.ts'
import { withMembers } from '../../api/object-members.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { longerThan, qualifiedName } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'
import { formOf, shownAs } from '../shared/internal-form.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import type { KindStrategy } from '../strategy.ts'

const SPEC = FieldPath.root<CSINode['spec']>('spec')
const MAX_NODE_ID = 256

function checkCsiNode(object: CSINode, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const names = new Set<string>()
  check.each(object.spec, 'drivers', SPEC, (driver, at) => {
    const { name, nodeID: id, allocatable = {}, topologyKeys } = driver
    checkDriverName(name, at.child('name'), check)
    check.fields(driver, at, 'storage.k8s.io_v1.CSINodeDriver')
    if (longerThan(id, MAX_NODE_ID)) check.invalid(at.child('nodeID'), id, `must be ${MAX_NODE_ID} characters or less`)
    check.fields(allocatable, at.child('allocatable'), 'storage.k8s.io_v1.VolumeNodeResources')
    check.unique(names, name, at.child('name'))
    const keys = new Set<string>()
    for (const key of topologyKeys ?? []) {
      if (key === '') check.required(at)
      check.unique(keys, key, at)
      check.format(at, key, qualifiedName(key))
    }
  })
}

const STRATEGY: KindStrategy<CSINode> = { conditionalUpdate: true, answersDeleteWithObject: true }

export const CSI_NODE: Kind = typedKind<CSINode>({
  validation: {
    create: checkCsiNode,
    update: (object, stored, check) => {
      checkCsiNode(object, check)
      const old = new Map(stored.spec.drivers?.map((driver) => [driver.name, driver]))
      for (const driver of object.spec.drivers ?? []) {
        const before = old.get(driver.name)
        if (before === undefined) continue
        const { allocatable: _now, ...now } = driver
        const { allocatable: _then, ...then } = before
        if (!equalValues(now, then))
          check.invalid(SPEC.child('drivers'), shownAs(now, formOf('storage.k8s.io_v1.CSINodeDriver')), IMMUTABLE)
      }
    },
  },
  strategy: STRATEGY,
  since: {
    '1.37': {
      fills: ['status'],
      strategy: {
        ...STRATEGY,
        status: WITH_STATUS_ALONE,
        prepareStatus: (object, stored, { gates }) =>
          gates.has('CSIVolumeHealth') ? object : withMembers(object, { status: stored.status }),
      },
    },
  },
  columns: tableOf([
    NAME,
    integer('Drivers', 'The number of drivers of the node.', ({ spec }) => spec.drivers?.length ?? 0),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1beta1': 'same' },
})
