import type { Flow } from '@farebox/flows/document/flow'
import { buildGraph } from '@farebox/flows/graph/graph'
import type { FlowChecked } from '@farebox/platform-api/flows/flow-check'
import type { SharedFlow } from '@farebox/platform-api/flows/saved-flows'
import { useMemo, useState, type ReactNode } from 'react'
import { countSteps, sumFlow } from '../../flows/describe/sum-flow.ts'
import { groupDigits } from '../../format/amount.ts'
import { SignSheet } from '../../flows/sign/sign-sheet.tsx'
import { NO_DRAFTS, openDraft } from '../../kept/draft.ts'
import { Note } from '../../parts/note.tsx'
import { When } from '../../parts/when.tsx'
import { Words } from '../../parts/words.tsx'
import { answers } from '../../site/answers.ts'
import { useAction } from '../../site/action.ts'
import { useNavigation } from '../../site/navigation.ts'
import type { PageModule } from '../../site/page.ts'
import { SharedMap } from './shared-map.tsx'

interface Data {
  readonly shared: SharedFlow
  /** Null when it could not be checked at the moment. */
  readonly checked: FlowChecked | null
}

/** A shared flow, which can be read, run, and copied. Its secret constants are left out. */
export const page: PageModule<Data> = {
  async load({ params, ask }) {
    const shared = await ask(`/v1/shared/${encodeURIComponent(params['shareId'] ?? '')}`, answers.sharedFlow)
    const checked = await ask('/v1/flows/check', answers.flowChecked, {
      method: 'POST',
      body: { flow: shared.flow },
    }).catch(() => null)
    return { shared, checked }
  },
  head: ({ shared }) => ({ title: shared.name, hidden: true }),
  Page: SharedPage,
}

function SharedPage({ data: { shared, checked } }: { readonly data: Data }): ReactNode {
  const { go } = useNavigation()
  // The platform serves only validated flows under this path.
  const flow = shared.flow as unknown as Flow
  const graph = useMemo(() => buildGraph(flow), [flow])
  const [isSigning, setSigning] = useState(false)
  const copying = useAction(
    () => openDraft(go, flow),
    () => NO_DRAFTS,
  )
  const errors = (checked?.findings ?? []).filter(({ severity }) => severity === 'error')
  return (
    <main id="main" className="page near">
      <p className="crumb">
        <a href="/flows">Flows</a> / shared
      </p>
      <div className="head">
        <SharedTitle shared={shared} flow={flow} />
        <div className="row">
          <button type="button" className="button tall" onClick={copying.act}>
            Copy to your flows
          </button>
          <button
            type="button"
            className="button fare"
            disabled={errors.length > 0}
            onClick={() => setSigning(true)}
          >
            Run it, {groupDigits(sumFlow(flow).price)} USDC
          </button>
        </div>
      </div>
      {copying.state === 'failed' && (
        <Note tone="warn" alert>
          <p>{copying.sentence}</p>
        </Note>
      )}
      {errors.length > 0 && <BrokenFlowNote errors={errors} />}
      <SharedMap graph={graph} />
      {isSigning && <SignSheet flow={flow} onClose={() => setSigning(false)} />}
    </main>
  )
}

function SharedTitle(props: { readonly shared: SharedFlow; readonly flow: Flow }): ReactNode {
  const { shared, flow } = props
  return (
    <div>
      <h1>
        <Words of={shared.name === '' ? 'Unnamed flow' : shared.name} most={64} />
      </h1>
      <p className="lede">
        {flow.description !== undefined && flow.description !== '' ? (
          <Words of={flow.description} />
        ) : (
          'Someone shared this flow with you. You can change and run your own copy.'
        )}
      </p>
      <p className="small faint">
        {countSteps(sumFlow(flow).steps)}, changed <When at={shared.changed_at} />
      </p>
    </div>
  )
}

const MOST_ERRORS = 5

function BrokenFlowNote({ errors }: { readonly errors: FlowChecked['findings'] }): ReactNode {
  return (
    <Note tone="warn">
      <p>
        <b>This flow cannot run.</b> Make a copy to see how to fix it.
      </p>
      {errors.slice(0, MOST_ERRORS).map(({ id, message }) => (
        <p key={id}>
          <Words of={message} />
        </p>
      ))}
    </Note>
  )
}
