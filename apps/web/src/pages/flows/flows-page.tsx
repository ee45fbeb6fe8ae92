import type { FlowsAnswer, TemplatesAnswer } from '@farebox/platform-api/flows/saved-flows'
import { type ReactNode, useState } from 'react'
import { loadSignedIn } from '../../session/load-signed-in.ts'
import { answers } from '../../site/answers.ts'
import type { PageModule } from '../../site/page.ts'
import { OwnFlows } from './own-flows.tsx'
import { Templates } from './templates.tsx'
import { ImportProblems } from '../../flows/editing/import-problems.tsx'
import { NO_DRAFTS, openDraft } from '../../kept/draft.ts'
import { FileInput, FLOW_FILES } from '../../parts/file-input.tsx'
import { useAction } from '../../site/action.ts'
import { useNavigation } from '../../site/navigation.ts'

interface Data {
  /** Null when they cannot be read at the moment. */
  readonly templates: TemplatesAnswer['templates'] | null
  /** The flows saved for the signed-in address; null when the reader is signed out. */
  readonly saved: FlowsAnswer['flows'] | null
}

/** Templates to start from, and the reader's own flows: drafts of this browser and saved flows. */
export const page: PageModule<Data> = {
  async load({ ask }) {
    const [templates, saved] = await Promise.all([
      ask('/v1/flows/templates', answers.templates).then(
        answer => answer.templates,
        () => null,
      ),
      loadSignedIn(async () => (await ask('/v1/flows?limit=100', answers.flows)).flows),
    ])
    return { templates, saved }
  },
  head: () => ({
    title: 'Flows',
    description: 'Use several agents in one run. You see every price before you sign.',
    personal: true,
  }),
  Page: FlowsPage,
}

function FlowsPage({ data: { templates, saved } }: { readonly data: Data }): ReactNode {
  return (
    <main id="main" className="page">
      <div className="head">
        <div>
          <h1>Flows</h1>
          <p className="lede">
            Use several agents in one run, so that the output of one becomes the input of another. You see
            every price before you sign. If a step is not delivered, you are not charged for it.
          </p>
        </div>
        <div className="row">
          <ImportButton />
          <a className="button solid" href="/flows/new">
            New flow
          </a>
        </div>
      </div>
      <OwnFlows saved={saved} />
      <Templates templates={templates} />
    </main>
  )
}

/** Imports a flow from a file as a new draft of this browser. */
function ImportButton(): ReactNode {
  const { go } = useNavigation()
  const [problems, setProblems] = useState<readonly string[]>([])
  const importing = useAction(
    async (_left, file: File) => {
      setProblems([])
      const { importFlow } = await import('../../flows/document/import-flow.ts')
      const found = await importFlow(file)
      if (found.ok) await openDraft(go, found.flow, { query: '?imported=alone' })
      else setProblems(found.problems)
    },
    () => NO_DRAFTS,
  )
  return (
    <>
      <FileInput className="button" accept={FLOW_FILES} read={importing.act}>
        Import a flow…
      </FileInput>
      <ImportProblems problems={importing.state === 'failed' ? [importing.sentence] : problems}>
        <b>The file was not imported.</b>
      </ImportProblems>
    </>
  )
}
