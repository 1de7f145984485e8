// Pod templates as objects of their own.
import { FieldPath } from '../../api/field-path.ts'
import type { PodTemplate } from '../../api/gen/kinds.ts'
import { column, NAME, tableOf } from '../../codec/tables/column.ts'
import { labelText } from '../../codec/tables/reading.ts'
import { always, within } from '../../schema/defaults/rule.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { withGatedFields } from '../shared/gated-field.ts'
import { podTemplate } from '../shared/pod-spec/defaults.ts'
import { gatedPodFields } from '../shared/pod-spec/gated-fields.ts'
import { checkPodTemplate } from '../shared/pod-spec/pod-template.ts'
import { eachContainer } from '../shared/pod-spec/template-columns.ts'
import { templateWarnings } from '../shared/pod-spec/template-warnings.ts'

const TEMPLATE = FieldPath.root<PodTemplate['template']>('template')

export const POD_TEMPLATE: Kind = typedKind<PodTemplate>({
  validation: builtInRules({ object: ({ template }, check) => checkPodTemplate(template, TEMPLATE, check) }),
  defaults: within({ template: always(podTemplate) }),
  strategy: withGatedFields(gatedPodFields('template/spec'), {
    generation: { first: 1, on: ['template'] },
    answersDeleteWithObject: true,
    warnings: templateWarnings('template', ({ template }) => template),
  }),
  columns: tableOf([
    NAME,
    column(
      'Containers',
      'The names of the containers in the template.',
      eachContainer('name', ({ template }) => template),
    ),
    column(
      'Images',
      'The images of the containers in the template.',
      eachContainer('image', ({ template }) => template),
    ),
    column('Pod Labels', 'The labels of pods made from the template.', ({ template }) =>
      labelText(template.metadata.labels ?? {}),
    ),
  ]),
})
