// Creates an object from a template: the fields that its kind requires, or the content of another object.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'
import { askText } from './api.ts'
import { ApplyPage } from './apply-page.tsx'
import { completionOf, schemaOf } from './completion.ts'
import { type Kind, objectPath } from './kind.ts'
import { editable, YAML } from './object-source.ts'
import { useAttempts } from './polling.ts'
import type { CreateRoute } from './routes.ts'
import { duplicateOf, templateOf } from './template.ts'

interface Props {
  readonly kind: Kind
  readonly kinds: readonly Kind[]
  readonly route: CreateRoute
}

export function CreatePage({ kind, kinds, route: { namespace, from } }: Props) {
  const [text, setText] = useState<string>()
  const { count, problem, report } = useAttempts()
  const completion = useMemo(() => completionOf(kind), [kind])
  useEffect(() => {
    const read = async (): Promise<string> => {
      if (from === '') return templateOf(kind, await schemaOf(kind), namespace || 'default')
      const path = objectPath(kind, { namespace, name: from })
      return duplicateOf(kind, from, editable(await askText(path, { accept: YAML })))
    }
    if (text === undefined) {
      read().then((made) => {
        report()
        setText(made)
      }, report)
    }
  }, [count])
  if (text === undefined) return <Alert text={problem?.message} />
  const title = from === '' ? `New ${kind.kind}` : `Duplicate ${from}`
  return <ApplyPage kinds={kinds} namespace={namespace} start={{ title, text, completion }} />
}
