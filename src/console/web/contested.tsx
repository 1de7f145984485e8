// Explains an apply that would change fields of other managers: the fields, their owners, and the possible next steps.
import { PlainTable } from './listing.tsx'
import type { FieldConflict } from './object-write.ts'

interface ContestedProps {
  readonly conflicts: readonly FieldConflict[]
  readonly onForce: () => void
}

export function Contested({ conflicts, onForce }: ContestedProps) {
  return (
    <div class="panel" role="alert">
      <h2>Other managers own the fields that you changed</h2>
      <p class="dim">Nothing was written. Your values would take these fields away from their owners.</p>
      <PlainTable
        title="Conflicts"
        columns={['Field', 'Owner']}
        rows={conflicts.map(({ field, owner }) => [<span class="mono">{field}</span>, owner])}
      />
      <ul class="ways">
        <li>Keep the values of the owners: go back to the editor and undo your changes of these fields.</li>
        <li>Change the values at their source, where the owner reads them.</li>
        <li>Write by update: the fields change now, and the next apply of the owner conflicts.</li>
        <li>Take ownership: the owner must then give up the fields, or force its next apply.</li>
      </ul>
      <button type="button" onClick={onForce}>
        Review and take ownership
      </button>
    </div>
  )
}
