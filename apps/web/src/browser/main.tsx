import '../styles/index.css'
import { hydrateRoot } from 'react-dom/client'
import { App } from '../app/app.tsx'
import { restorePage, type PageState } from '../app/load-page.ts'
import { createAsk, type Transport } from '../site/ask.ts'
import { followLinks } from './follow-links.tsx'
import { takeTyped } from './typed-early.ts'

/** The API over HTTP, with the reader's session. */
const browserTransport: Transport = async (path, { method = 'GET', body, headers, signal }) => {
  const answer = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: signal ?? null,
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
}

const root = document.getElementById('root')
const state = document.getElementById('state')?.textContent
if (root !== null && state !== null && state !== undefined)
  await takeOver(root, JSON.parse(state) as PageState)

/** Takes over the page that the server rendered. */
async function takeOver(root: HTMLElement, state: PageState): Promise<void> {
  // The document of a page that could not be loaded has nothing interactive except its links.
  if (state.status !== 200 && state.status !== 404) return
  const site = { platform: state.platform, now: state.now, ask: createAsk(browserTransport) }
  const page = await restorePage(new URL(location.href), state)
  const navigation = followLinks(site, (shown, visit) => {
    hydrated.render(<App {...shown} navigation={navigation} visit={visit} />)
  })
  const typeAgain = takeTyped(root)
  const onTaken = (): void => {
    typeAgain()
    // Clicks before this mark have no effect. Tests wait for the mark, and measurements of a page can use it.
    performance.mark('taken-over')
  }
  const hydrated = hydrateRoot(
    root,
    <App site={site} page={page} navigation={navigation} visit={0} onTaken={onTaken} />,
  )
}
