// The rules of a version of a definition, and the cost of each as the server estimates it. The page asks for the estimate of an
// expression when the user opens it.
import { useEffect, useState } from 'preact/hooks'
import { ask, messageOf } from './api.ts'
import { type CostOfRule, costText, findCost, type PlacedRule, type RuleCosts } from './definition-rules.ts'

export interface RuleListProps {
  readonly rules: readonly PlacedRule[]
  readonly version: string
  /** The path and the resourceVersion of the definition. */
  readonly place: string
  readonly resourceVersion: string
}

export function RuleList({ rules, version, place, resourceVersion }: RuleListProps) {
  const [isOpen, setOpen] = useState(false)
  const [costs, setCosts] = useState<RuleCosts | undefined>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    if (!isOpen) return undefined
    const given = new AbortController()
    ask<RuleCosts>(`${place}?ruleCosts=true`, { signal: given.signal }).then(
      (told) => {
        setCosts(told)
        setProblem('')
      },
      (error: unknown) => {
        if (!given.signal.aborted) setProblem(messageOf(error))
      },
    )
    return () => given.abort()
  }, [isOpen, place, resourceVersion])
  if (rules.length === 0) return <>–</>
  const told = costs?.versions.find(({ name }) => name === version)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{rules.length}</summary>
      {problem !== '' && <p class="dim">{`The server did not estimate their cost: ${problem}`}</p>}
      {costs !== undefined && told !== undefined && (
        <p>{`Estimated total cost: ${costText(told.cost, costs.limits.schema)}`}</p>
      )}
      <ul class="rules">
        {rules.map((rule) => (
          <li key={`${rule.field} ${rule.index}`}>
            <span class="mono dim">{rule.field === '' ? 'the object' : rule.field}</span>
            <code>{rule.rule}</code>
            <span>{rule.message ?? rule.messageExpression}</span>
            <Cost cost={findCost(told, rule)} limit={costs?.limits.expression} />
          </li>
        ))}
      </ul>
    </details>
  )
}

function Cost({ cost, limit }: { readonly cost: CostOfRule | undefined; readonly limit: number | undefined }) {
  if (cost === undefined || limit === undefined) return null
  return (
    <span class="dim">
      {`Estimated cost: ${costText(cost.cost, limit)}`}
      {cost.hints.length > 0 && `. To lower it: ${cost.hints.join(', ')}`}
    </span>
  )
}
