// Creates an object from a template: the fields that its kind requires, or the content of another object.
import { useMemo } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { askText } from './api.ts'
import { ApplyPage } from './apply-page.tsx'
import { completionOf, schemaOf } from './completion.ts'
import { type Kind, objectPath } from './kind.ts'
import { editable, YAML } from './object-source.ts'
import { ONCE, usePolled } from './polling.ts'
import { duplicateOf, templateOf } from './template.ts'

interface Props {
  readonly kind: Kind
  readonly kinds: readonly Kind[]
  readonly namespace: string
  /** The name of the object to duplicate. Empty: none. */
  readonly from: string
}

export function CreatePage({ kind, kinds, namespace, from }: Props) {
  const completion = useMemo(() => completionOf(kind), [kind])
  const { value: text, problem } = usePolled(async () => {
    if (from === '') return templateOf(kind, await schemaOf(kind), namespace || 'default')
    const path = objectPath(kind, { namespace, name: from })
    return duplicateOf(kind, from, editable(await askText(path, { accept: YAML })))
  }, ONCE)
  if (text === undefined) return <Alert text={problem?.message} />
  const title = from === '' ? `New ${kind.kind}` : `Duplicate ${from}`
  return <ApplyPage kinds={kinds} namespace={namespace} start={{ title, text, completion }} />
}
