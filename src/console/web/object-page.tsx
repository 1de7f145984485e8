// The page of an object: its summary, its YAML with the owners of its fields, its events, its family and its history.
import { useEffect, useState } from 'preact/hooks'
import { ActionMenu } from './action-menu.tsx'
import { Alert } from './alert.tsx'
import { EventsTab } from './events-tab.tsx'
import { HistoryTab, useHasHistory } from './history-tab.tsx'
import { type Kind, type ObjectName, objectPath, resourceName } from './kind.ts'
import { navigate } from './navigation.ts'
import { ONCE, usePolled } from './polling.ts'
import { followObject, type Loaded, type ObjectNews, readObject } from './object-source.ts'
import { tableAddress } from './routes.ts'
import { StarButton } from './star-button.tsx'
import { SummaryTab } from './summary-tab.tsx'
import { LiveBadge } from './table-page.tsx'
import { TreeTab } from './tree-tab.tsx'
import { YamlTab } from './yaml-tab.tsx'

const TABS = ['Summary', 'YAML', 'Events', 'Owners', 'History'] as const
type Tab = (typeof TABS)[number]

interface Props {
  readonly kind: Kind
  readonly kinds: readonly Kind[]
  readonly named: ObjectName
  /** The chosen namespace, which need not be the object's. */
  readonly chosen: string
}

export function ObjectPage({ kind, kinds, named, chosen }: Props) {
  const [chosenTab, setTab] = useState<Tab>('Summary')
  const [loaded, setLoaded] = useState<Loaded>()
  const [round, setRound] = useState(0)
  const [news, setNews] = useState<ObjectNews>()
  const [isConnected, setConnected] = useState(true)
  const { namespace, name } = named
  const path = objectPath(kind, named)
  const hasHistory = useHasHistory(path)
  const tab = chosenTab === 'History' && !hasHistory ? 'Summary' : chosenTab
  const load = async (): Promise<Loaded> => {
    const found = await readObject(kind, { namespace, name })
    setLoaded(found)
    setNews(undefined)
    return found
  }
  const { problem } = usePolled(load, ONCE, round)
  /** Reads the object again. If that fails, another read follows later. */
  const loadAgain = (): Promise<Loaded | undefined> => load().catch(() => setRound((before) => before + 1) as undefined)
  const version = loaded?.object.metadata.resourceVersion
  // Each read starts a new stream after its version. News that came before the read ended is repeated by the stream.
  useEffect(() => {
    if (version === undefined || !kind.verbs.includes('watch')) return undefined
    const lost = (): void => setRound((before) => before + 1)
    return followObject(kind, { namespace, name }, version, { tell: setNews, connected: setConnected, lost })
  }, [loaded])
  const table = tableAddress(resourceName(kind), kind.namespaced ? { namespace: chosen } : {})
  const newest = news?.kind === 'changed' ? news.object : loaded?.object
  return (
    <section class="page object-page">
      <header class="page-head">
        <h1>{name}</h1>
        <StarButton resource={resourceName(kind)} named={named} />
        <a class="dim" href={table}>
          {kind.kind}
        </a>
        {namespace !== '' && <span class="dim">{`in ${namespace}`}</span>}
        {version !== undefined && <span class="dim mono">{`version ${version}`}</span>}
        {!isConnected && <LiveBadge state={{ kind: 'reconnecting' }} />}
        <span class="spring" />
        {loaded !== undefined && (
          <ActionMenu
            target={{ kind, named, uid: loaded.object.metadata.uid }}
            object={loaded.object}
            onDeleted={() => navigate(table)}
          />
        )}
      </header>
      <div class="tabs" role="tablist" aria-label="Parts">
        {TABS.filter((one) => one !== 'History' || hasHistory).map((one) => (
          <button key={one} type="button" role="tab" aria-selected={tab === one} onClick={() => setTab(one)}>
            {one}
          </button>
        ))}
      </div>
      <Alert text={problem?.message} />
      {news?.kind === 'deleted' && <p class="notice bad">This object was deleted.</p>}
      {newest !== undefined && tab === 'Summary' && <SummaryTab kinds={kinds} kind={kind} object={newest} />}
      {loaded !== undefined && (
        <div class="kept" hidden={tab !== 'YAML'}>
          <YamlTab kind={kind} named={named} loaded={loaded} news={news} reload={loadAgain} />
        </div>
      )}
      {loaded !== undefined && tab === 'Events' && <EventsTab object={newest ?? loaded.object} />}
      {loaded !== undefined && tab === 'Owners' && <TreeTab kinds={kinds} kind={kind} object={loaded.object} />}
      {newest !== undefined && tab === 'History' && <HistoryTab kind={kind} object={newest} />}
    </section>
  )
}
