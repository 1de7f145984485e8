// Volume attachments: a volume that is to be attached to a node.
import { FieldPath } from '../../api/field-path.ts'
import { mapOrAbsent, mapOrEmpty, textOrAbsent, textOrEmpty } from '../../api/members.ts'
import { equalValues, type ValueMap } from '../../api/value.ts'
import { AGE, boolean, column, NAME, tableOf, text } from '../../codec/tables/column.ts'
import { booleanAt } from '../../codec/tables/reading.ts'
import { within } from '../../schema/defaults/rule.ts'
import { type Check, IMMUTABLE } from '../../schema/validation/check.ts'
import { longerThan } from '../../schema/validation/formats.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import type { Kind } from '../kind.ts'
import { type Form, shownAs } from '../shared/internal-form.ts'
import { SHARED_SOURCES } from '../shared/pod-spec/defaults.ts'
import { checkDriverName } from '../shared/pod-spec/volume-source.ts'
import { rounded } from '../shared/resource-list.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'
import { checkInlineVolume } from '../shared/volume-spec.ts'
import { bytesOf, MAX_PARAMETER_BYTES } from './class-parameters.ts'

const SPEC = FieldPath.root('spec')
const STATUS = FieldPath.root('status')
const MAX_ERROR_BYTES = 1024

/** As the reference shows the spec; an inline volume is shown as it was sent. */
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

function checkAttachment(object: ValueMap, check: Check): void {
  checkBuiltInMeta(object, subdomainName, check)
  const spec = mapOrEmpty(object, 'spec')
  const source = mapOrEmpty(spec, 'source')
  checkDriverName(textOrEmpty(spec, 'attacher'), SPEC.child('attacher'), check)
  checkAttachmentSource(source, SPEC.child('source'), check)
  check.fields(spec, SPEC, 'storage.k8s.io_v1.VolumeAttachmentSpec')
  checkAttachmentStatus(mapOrEmpty(object, 'status'), check)
  check.fields(source, SPEC.child('source'), 'storage.k8s.io_v1.VolumeAttachmentSource')
}

function checkAttachmentSource(source: ValueMap, at: FieldPath, check: Check): void {
  const inline = mapOrAbsent(source, 'inlineVolumeSpec')
  const name = textOrAbsent(source, 'persistentVolumeName')
  const exactlyOne = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'
  if (inline === undefined && name === undefined) check.required(at, exactlyOne)
  else if (inline !== undefined && name !== undefined) check.forbidden(at, exactlyOne)
  else if (name === '') check.required(at.child('persistentVolumeName'), 'must specify non empty persistentVolumeName')
  else if (inline !== undefined) checkInlineVolume(inline, at.child('inlineVolumeSpec'), check)
}

function checkAttachmentStatus(status: ValueMap, check: Check): void {
  if (bytesOf(mapOrEmpty(status, 'attachmentMetadata')) > MAX_PARAMETER_BYTES) {
    check.tooLong(STATUS.child('attachmentMetadata'), MAX_PARAMETER_BYTES)
  }
  for (const field of ['attachError', 'detachError']) {
    const error = mapOrAbsent(status, field)
    if (error === undefined) continue
    if (longerThan(textOrEmpty(error, 'message'), MAX_ERROR_BYTES)) {
      check.tooLong(STATUS.child(field).child('message'), MAX_PARAMETER_BYTES)
    }
    check.fields(error, STATUS.child(field), 'storage.k8s.io_v1.VolumeError')
  }
}

function checkAttachmentUpdate(object: ValueMap, stored: ValueMap, check: Check): void {
  checkAttachment(object, check)
  const { spec } = object
  if (!equalValues(spec, stored['spec'])) check.invalid(SPEC, shownAs(spec, ATTACHMENT), IMMUTABLE)
}

export const VOLUME_ATTACHMENT: Kind = {
  validation: {
    create: checkAttachment,
    update: checkAttachmentUpdate,
    subresources: { status: checkAttachmentUpdate },
  },
  defaults: within({
    spec: within({ source: within({ inlineVolumeSpec: within({ capacity: rounded, ...SHARED_SOURCES }) }) }),
  }),
  strategy: { conditionalUpdate: true, status: WITH_STATUS_ALONE, answersDeleteWithObject: true },
  columns: tableOf([
    NAME,
    column('Attacher', 'The driver that attaches it.', text('spec', 'attacher'), { format: 'name' }),
    column('PV', 'The volume.', text('spec', 'source', 'persistentVolumeName')),
    column('Node', 'The node that it is attached to.', text('spec', 'nodeName')),
    boolean('Attached', 'Whether it is attached.', (one) => booleanAt(one, 'status', 'attached')),
    AGE,
  ]),
  olderVersions: { 'storage.k8s.io/v1alpha1': 'same', 'storage.k8s.io/v1beta1': 'same' },
}
