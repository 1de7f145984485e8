// Explains an apply that would change fields of other managers: the fields, their owners, and the ways out.
import type { FieldConflict } from './object-write.ts'

interface ContestedProps {
  readonly conflicts: readonly FieldConflict[]
  readonly onForce: () => void
}

export function Contested({ conflicts, onForce }: ContestedProps) {
  return (
    <div class="panel" role="alert">
      <h2>Others own what you changed</h2>
      <p class="dim">
        Nothing was written. Applying a value of your own would take these fields away from their owners.
      </p>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Owner</th>
          </tr>
        </thead>
        <tbody>
          {conflicts.map(({ field, owner }) => (
            <tr key={`${field} ${owner}`}>
              <td class="mono">{field}</td>
              <td>{owner}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="ways">
        <li>Leave the fields as they are: go back to the editor and undo that part.</li>
        <li>Have the owner change them where it gets its values from.</li>
        <li>Write by update: the fields change now, and the owner is told of a conflict when it applies next.</li>
        <li>Take the fields over: they are yours, and the owner has to give them up or to force.</li>
      </ul>
      <button type="button" onClick={onForce}>
        Review taking them over
      </button>
    </div>
  )
}
