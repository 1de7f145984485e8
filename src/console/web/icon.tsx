// The icons of the navigation, drawn in lines on a square of 16.

const SHAPES = {
  overview: 'M2 9 8 3l6 6M4 8v5.5h8V8',
  server: 'M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01',
  definitions: 'M8 2l5.5 3v6L8 14l-5.5-3V5zM2.5 5 8 8l5.5-3M8 8v6',
  access: 'M5.5 10.5a3 3 0 1 1 2.6-4.5H14v3h-2v2h-2V9H8.1a3 3 0 0 1-2.6 1.5z',
  apply: 'M8 11V2.5M4.5 6 8 2.5 11.5 6M2.5 10.5v3h11v-3',
  graph: 'M2 6h4v4H2zM10 2h4v4h-4zM10 10h4v4h-4zM6 8h2M8 8V4h2M8 8v4h2',
  workloads: 'M2.5 5.5 8 2.5l5.5 3v5L8 13.5l-5.5-3zM5 7l3 1.6L11 7',
  configuration: 'M2 5h7M12 5h2M2 11h2M7 11h7M9 3.5h3v3H9zM4 9.5h3v3H4z',
  network: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM2 8h12M8 2c-4 4-4 8 0 12M8 2c4 4 4 8 0 12',
  storage: 'M2.5 4.5c0-3 11-3 11 0v7c0 3-11 3-11 0zM2.5 4.5c0 3 11 3 11 0M2.5 8c0 3 11 3 11 0',
  custom: 'M9 2.5a1.5 1.5 0 0 0-3 0V4H3v3.5h1.5a1.5 1.5 0 0 1 0 3H3v3h10V4H9z',
  other: 'M3 8h.01M8 8h.01M13 8h.01',
  starred: 'M8 2l1.8 4 4.2.4-3.2 2.8 1 4.3L8 11.2l-3.8 2.3 1-4.3L2 6.4 6.2 6z',
  recent: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 4.5V8l2.5 2',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14',
} as const

export type IconName = keyof typeof SHAPES

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  )
}
