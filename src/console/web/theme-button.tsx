// Switches between the light, the dark and the system's theme. The browser remembers the choice.
import { useEffect, useState } from 'preact/hooks'

const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const STORED = 'theme'

export function ThemeButton() {
  const [theme, setTheme] = useState<Theme>(() => THEMES.find((one) => one === localStorage.getItem(STORED)) ?? 'auto')
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme
    localStorage.setItem(STORED, theme)
  }, [theme])
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto'
  return (
    <button
      type="button"
      data-command={`Switch the theme to ${next}`}
      title={`Switch to ${next}`}
      onClick={() => setTheme(next)}
    >
      {`Theme: ${theme}`}
    </button>
  )
}
