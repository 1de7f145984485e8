// A small chart of the last hour. uPlot draws it.
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { LoadLine } from './server-status.ts'

interface Props {
  readonly title: string
  readonly unit: string
  readonly lines: readonly Pick<LoadLine, 'label' | 'colour'>[]
  /** Times in seconds, then the values of each line. */
  readonly data: readonly (readonly (number | null)[])[]
}

const HEIGHT_PX = 150
const HOUR_SECONDS = 3600
/** The shortest time axis, for new servers. */
const LEAST_SECONDS = 600

export function Chart({ title, unit, lines, data }: Props) {
  const host = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(data)
  latest.current = data
  useEffect(() => {
    const element = host.current
    if (element === null) return undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsOf(element, lines), latest.current as uPlot.AlignedData, element)
    }
    draw()
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }))
    resized.observe(element)
    // The chart reads its colours when it is drawn, so another theme draws it again.
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    const system = matchMedia('(prefers-color-scheme: dark)')
    system.addEventListener('change', draw)
    return () => {
      resized.disconnect()
      theme.disconnect()
      system.removeEventListener('change', draw)
      plot.current?.destroy()
    }
  }, [])
  useEffect(() => plot.current?.setData(data as uPlot.AlignedData), [data])
  const texts = lines.map(({ label }, i) => {
    const last = data[i + 1]?.at(-1) ?? undefined
    return last === undefined ? label : `${label} ${shortNumber(last)} ${unit}`
  })
  return (
    <figure class="card chart">
      <figcaption>
        <h2>{title}</h2>
        <span class="dim">
          {lines.map(({ label, colour }, i) => (
            <span key={label} class="key">
              <span class="swatch" style={{ background: `var(--${colour})` }} />
              {texts[i]}
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={host} role="img" aria-label={`${title} over the last hour; now ${texts.join(', ')}`} />
    </figure>
  )
}

function optionsOf(element: HTMLElement, lines: Props['lines']): uPlot.Options {
  const styles = getComputedStyle(element)
  const probe = (name: string): string => colourOf(element, name) || styles.color
  const axis = {
    stroke: probe('dim'),
    font: '11px system-ui',
    grid: { stroke: probe('line'), width: 1 },
    ticks: { show: false },
  }
  // A single value has no line, so it is drawn as a point.
  const points = { show: ({ data: [times = []] }: uPlot) => times.length === 1 }
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // The range follows the data: for a single time, the library would widen it to days.
      x: {
        range: ({ data: [times = []] }) => {
          const end = times.at(-1) ?? Date.now() / 1000
          return [Math.min(Math.max(times[0] ?? end, end - HOUR_SECONDS), end - LEAST_SECONDS), end]
        },
      },
      y: { range: (_plot, _min, max) => [0, Math.max(max, 0.1) * 1.15] },
    },
    axes: [
      {
        ...axis,
        size: 26,
        values: (_plot, times) => times.map((time) => new Date(time * 1000).toTimeString().slice(0, 5)),
      },
      { ...axis, size: 46, values: (_plot, values) => values.map(shortNumber) },
    ],
    series: [{}, ...lines.map(({ label, colour }) => ({ label, stroke: probe(colour), width: 1.5, points }))],
  }
}

/** A canvas does not know CSS variables, so the browser computes the colour. */
function colourOf(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function shortNumber(value: number): string {
  if (value === 0) return '0'
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(2).replace(/\.0$/, '')
}
