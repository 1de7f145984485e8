// Volume attachments: a volume that is to be attached to a node.
import { FieldPath } from '../../api/field-path.ts'
import type { VolumeAttachment, VolumeAttachmentSource } from '../../api/gen/kinds.ts'
import { equalValues } from '../../api/value.ts'
import { AGE, boolean, column, NAME, tableOf } from '../../codec/tables/column.ts'
import { within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { KindRules, UpdateRule } from '../../schema/validation/rules.ts'
import { type Kind, typedKind } from '../kind.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { SHARED_SOURCES } from '../shared/pod-spec/defaults.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { rounded } from '../shared/resource-list.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkInlineVolume } from '../shared/volume-spec.ts'
import { bytesOf, MAX_PARAMETER_BYTES } from './class-parameters.ts'

const SPEC = FieldPath.root<VolumeAttachment['spec']>('spec')
const STATUS = FieldPath.root<VolumeAttachment['status']>('status')
const MAX_ERROR_BYTES = 1024

/** The spec in the reference's form. An inline volume is shown as it was sent. */
const ATTACHMENT: Form = [
  ['attacher', 'Attacher', ''],
  [
    'source',
    'Source',
    null,
    [
      ['persistentVolumeName', 'PersistentVolumeName', null],
      ['inlineVolumeSpec', 'InlineVolumeSpec', null],
    ],
  ],
  ['nodeName', 'NodeName', ''],
]

function checkAttachment(object: VolumeAttachment, check: Check, toldErrorBytes: number): void {
  checkBuiltInMeta(object, subdomainName, check)
  const { spec, status } = object
  const { source, attacher } = spec
  checkDriverName(attacher, SPEC.child('attacher'), check)
  checkAttachmentSource(source, SPEC.child('source'), check)
  check.fields(spec, SPEC, 'storage.k8s.io_v1.VolumeAttachmentSpec')
  checkAttachmentStatus(status, check, toldErrorBytes)
  check.fields(source, SPEC.child('source'), 'storage.k8s.io_v1.VolumeAttachmentSource')
}

function checkAttachmentSource(
  { inlineVolumeSpec: inline, persistentVolumeName: name }: VolumeAttachmentSource,
  at: FieldPath<VolumeAttachmentSource>,
  check: Check,
): void {
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inline === undefined && name === undefined) check.required(at, exactlyOne)
  else if (inline !== undefined && name !== undefined) check.forbidden(at, exactlyOne)
  else if (name === '') check.required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')
  else if (inline !== undefined) checkInlineVolume(inline, at.child('inlineVolumeSpec'), check)
}

function checkAttachmentStatus(status: VolumeAttachment['status'], check: Check, toldErrorBytes: number): void {
  if (bytesOf(status.attachmentMetadata ?? {}) > MAX_PARAMETER_BYTES) {
    check.tooLong(STATUS.child('attachmentMetadata'), MAX_PARAMETER_BYTES)
  }
  for (const field of ['attachError', 'detachError'] as const) {
    check.part(status, field, STATUS, (error, at) => {
      if (longerThan(error.message ?? '', MAX_ERROR_BYTES)) check.tooLong(at.child('message'), toldErrorBytes)
      check.fields(error, at, 'storage.k8s.io_v1.VolumeError')
    })
  }
}

/** `toldErrorBytes`: the length that the fault of a longer error message names. */
function rulesWith(toldErrorBytes: number): KindRules<VolumeAttachment> {
  const update: UpdateRule<VolumeAttachment> = (object, stored, check) => {
    checkAttachment(object, check, toldErrorBytes)
    const { spec } = object
    if (!equalValues(spec, stored.spec)) check.invalid(SPEC, shownAs(spec, ATTACHMENT), IMMUTABLE)
  }
  return {
    create: (object, check) => checkAttachment(object, check, toldErrorBytes),
    update,
    subresources: { status: update },
  }
}

export const VOLUME_ATTACHMENT: Kind = typedKind<VolumeAttachment>({
  validation: rulesWith(MAX_PARAMETER_BYTES),
  since: { '1.37': { validation: rulesWith(MAX_ERROR_BYTES) } },
  defaults: within({
    spec: within({ source: within({ inlineVolumeSpec: within({ capacity: rounded, ...SHARED_SOURCES }) }) }),
  }),
  strategy: { conditionalUpdate: true, status: WITH_STATUS_ALONE, answersDeleteWithObject: true },
  columns: tableOf([
    NAME,
    column('Attacher', 'The driver that attaches the volume.', ({ spec }) => spec.attacher, { format: 'name' }),
    column('PV', 'The volume.', ({ spec }) => spec.source.persistentVolumeName ?? ''),
    column('Node', 'The node to which the volume is attached.', ({ spec }) => spec.nodeName),
    boolean('Attached', 'Whether the volume is attached.', ({ status }) => status.attached),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1alpha1': 'same', 'storage.k8s.io/v1beta1': 'same' },
})
