// Stars a kind or an object, so that the sidebar and searches show it first.
import { useContext } from 'preact/hooks'
import { Icon } from './icon.tsx'
import { CurrentUser, dropPlace, isSame, type Place, putPlace, usePlaces } from './places.ts'

export function StarButton({ resource, named }: Place) {
  const user = useContext(CurrentUser)
  const place = named === undefined ? { resource } : { resource, named }
  const isStarred = usePlaces('starred').some((one) => isSame(one, place))
  return (
    <button
      type="button"
      class="star"
      aria-pressed={isStarred}
      aria-label="Favourite"
      title={isStarred ? 'Remove from the favourites' : 'Add to the favourites'}
      onClick={() => (isStarred ? dropPlace : putPlace)(user, 'starred', place)}
    >
      <Icon name="starred" />
    </button>
  )
}
