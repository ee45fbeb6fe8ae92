import type { Flow } from '@farebox/flows/document/flow'
import type { SavedFlow } from '@farebox/platform-api/flows/saved-flows'
import type { ReactNode } from 'react'
import { Builder } from '../../flows/builder/builder.tsx'
import type { FlowToOpen } from '../../flows/builder/use-flow-editor.ts'
import { UNNAMED } from '../../flows/document/name-by-steps.ts'
import type { BuilderView } from '../../flows/builder/tools/tool-bar.tsx'
import { createDraft, type Draft } from '../../kept/draft.ts'
import { SignInButton } from '../../session/sign-in-button.tsx'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { useRead } from '../../site/question.ts'
import type { PageModule } from '../../site/page.ts'

interface Data {
  /** Id of a draft of this browser or of a saved flow; null for a new flow. */
  readonly id: string | null
  readonly isSignedIn: boolean
  /** Null when the platform has no flow with that id that this reader may see. */
  readonly saved: SavedFlow | null
  readonly view: BuilderView | null
  readonly runId: string | null
  /** How the flow was just imported from a file: in place of another open flow, or from the list. */
  readonly imported: string | null
}

/** One flow in the builder: a new one, a draft of this browser, or a flow saved on the platform. */
export const page: PageModule<Data> = {
  async load({ params, query, ask, isServer }) {
    // The document links the styles of this page; after a click on a link they are loaded with the page.
    if (!isServer) await import('../../flows/builder/builder-styles.ts')
    const id = params['flowId'] ?? null
    const view = query.get('view')
    const readSaved = async (): Promise<{ readonly saved: SavedFlow | null }> => {
      if (id !== null) return { saved: await ask(`/v1/flows/${encodeURIComponent(id)}`, answers.savedFlow) }
      await ask('/v1/flows?limit=1', answers.flows)
      return { saved: null }
    }
    const read = await loadSignedIn(readSaved).then(
      found => ({ saved: found?.saved ?? null, isSignedIn: found !== null }),
      (error: unknown) => ({ saved: null, isSignedIn: error instanceof ApiFailure && error.status === 404 }),
    )
    return {
      id,
      ...read,
      view: view === 'canvas' || view === 'outline' || view === 'runs' ? view : null,
      runId: query.get('run'),
      imported: query.get('imported'),
    }
  },
  head: ({ saved }) => ({ title: saved?.name ?? 'Flow', hidden: true, personal: true }),
  Page: FlowPage,
}

const EMPTY: Flow = {
  flow_version: 1,
  name: UNNAMED,
  inputs: {},
  outputs: [],
  steps: {},
  wires: [],
}

function FlowPage({ data }: { readonly data: Data }): ReactNode {
  const opened = useOpened(data)
  if (opened === 'missing')
    return (
      <main id="main" className="page">
        <h1>Flow not found</h1>
        <p className="lede">
          There is no draft at this address in this browser
          {data.isSignedIn
            ? ', and there is no saved flow at this address in your account.'
            : '. If you saved the flow to your account, sign in to open it.'}
        </p>
        <div className="row">
          {!data.isSignedIn && <SignInButton why="Saved flows are linked to your wallet address." />}
          <a className="button" href="/flows">
            Your flows
          </a>
        </div>
      </main>
    )
  if (opened === undefined)
    return (
      <main id="main" className="studio" aria-busy="true">
        <h1 className="unseen">{data.saved?.name ?? 'Flow'}</h1>
        <noscript>
          <p className="lede">JavaScript is off. Turn it on to use the flow builder.</p>
        </noscript>
      </main>
    )
  return (
    <Builder
      key={opened.draft.draft_id}
      opened={opened}
      view={data.view ?? undefined}
      runId={data.runId ?? undefined}
      imported={data.imported ?? undefined}
    />
  )
}

/** The flow, combined with the draft in this browser. Undefined until the draft has been read. */
function useOpened({ id, isSignedIn, saved }: Data): FlowToOpen | 'missing' | undefined {
  const { answer, failure } = useRead<FlowToOpen | 'missing'>(id ?? 'new', async () => {
    const given = { isSignedIn, saved: saved ?? undefined }
    if (id === null) {
      const draft = createDraft(EMPTY)
      history.replaceState(null, '', `/flows/${draft.draft_id}${location.search}`)
      return { ...given, draft, isKept: false }
    }
    const kept = await findDraft(id).catch(() => undefined)
    if (saved === null) return kept === undefined ? 'missing' : { ...given, draft: kept, isKept: true }
    const isBehind = kept === undefined || (kept.saved?.revision ?? 0) < saved.revision
    const mine = { flow_id: saved.flow_id, revision: saved.revision }
    // The platform validated the flow when it was saved.
    const flow = saved.flow as unknown as Flow
    const now = Date.now() / 1_000
    if (kept === undefined)
      return {
        ...given,
        draft: { draft_id: id, flow, input: {}, saved: mine, created_at: now, changed_at: now },
        isKept: false,
      }
    // Changes that exist only in this browser are kept; saving them reports the newer revision as a conflict.
    const isChanged = kept.is_ahead === true
    return isBehind && !isChanged
      ? { ...given, draft: { ...kept, flow, saved: mine }, isKept: true }
      : { ...given, draft: kept, isKept: true }
  })
  return answer ?? (failure === undefined ? undefined : 'missing')
}

/** Finds a draft by its own id, or by the id of the saved flow of which it is a working copy. */
async function findDraft(id: string): Promise<Draft | undefined> {
  const [{ readDraft, listDrafts }, { keepLeftBehind }] = await Promise.all([
    import('../../kept/draft-store.ts'),
    import('../../kept/keep-left-behind.ts'),
  ])
  await keepLeftBehind()
  return (await readDraft(id)) ?? (await listDrafts()).find(({ saved }) => saved?.flow_id === id)
}
