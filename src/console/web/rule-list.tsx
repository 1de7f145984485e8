// The rules of a version of a definition, and the server's estimates of their costs. The page asks for the estimates when the user opens
// the list.
import { useState } from 'preact/hooks'
import { ask } from './api.ts'
import { type CostOfRule, costText, findCost, type PlacedRule, type RuleCosts } from './definition-rules.ts'
import { ONCE, usePolled } from './polling.ts'

export interface RuleListProps {
  readonly rules: readonly PlacedRule[]
  readonly version: string
  /** The path and the resourceVersion of the definition. */
  readonly place: string
  readonly resourceVersion: string
}

export function RuleList({ rules, version, place, resourceVersion }: RuleListProps) {
  const [isOpen, setOpen] = useState(false)
  if (rules.length === 0) return <>–</>
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{rules.length}</summary>
      {isOpen && <Rules rules={rules} version={version} place={place} resourceVersion={resourceVersion} />}
    </details>
  )
}

function Rules({ rules, version, place, resourceVersion }: RuleListProps) {
  const read = (signal: AbortSignal): Promise<RuleCosts> => ask(`${place}?ruleCosts=true`, { signal })
  const { value: costs, problem } = usePolled(read, ONCE, resourceVersion)
  const told = costs?.versions.find(({ name }) => name === version)
  return (
    <>
      {problem !== undefined && <p class="dim">{`The server did not estimate the costs: ${problem.message}`}</p>}
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
    </>
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
