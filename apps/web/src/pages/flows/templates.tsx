import type { Flow } from '@farebox/flows/document/flow'
import type { FlowTemplate } from '@farebox/platform-api/flows/saved-flows'
import type { JsonObject } from '@farebox/protocol/fields/field'
import type { ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { NO_DRAFTS, openDraft } from '../../kept/draft.ts'
import { Amount } from '../../parts/amount.tsx'
import { Note } from '../../parts/note.tsx'
import { Heading } from '../../parts/page/heading.tsx'
import { Words } from '../../parts/words.tsx'
import { useAction } from '../../site/action.ts'
import { useNavigation } from '../../site/navigation.ts'

/** Templates as a timetable: what each does, the agents that it uses, and its price. */
export function Templates({ templates }: { readonly templates: readonly FlowTemplate[] | null }): ReactNode {
  const { go } = useNavigation()
  const decimals = longestDecimals((templates ?? []).map(({ price }) => price))
  const opening = useAction(
    async (_left, { flow, sample_input: input }: FlowTemplate) => {
      // The platform has validated both. The layout is dropped, because positions depend on the card heights of this page.
      const { layout: _, ...unplaced } = flow as unknown as Flow
      await openDraft(go, unplaced, { input: input as JsonObject })
    },
    () => NO_DRAFTS,
  )
  return (
    <section>
      <Heading look="ruled" end="USDC per run">
        Templates
      </Heading>
      {opening.state === 'failed' && (
        <Note tone="warn" alert>
          <p>{opening.sentence}</p>
        </Note>
      )}
      {templates === null ? (
        <p className="nothing faint">Templates are not available right now.</p>
      ) : templates.length === 0 ? (
        <p className="nothing faint">No templates match the agents that are listed here now.</p>
      ) : (
        <ul className="rows">
          {templates.map(template => (
            <li key={template.template_id} className="entry flow-entry">
              <h3>
                <Words of={template.name} most={64} />
              </h3>
              <span className="leader" />
              <span className="price">
                <Amount of={template.price} decimals={decimals} />
              </span>
              <p className="what">
                <Words of={template.description} />
              </p>
              <p className="small faint with">
                with <Words of={template.agents.join(', ')} most={160} />
              </p>
              <button
                type="button"
                className="button act"
                aria-label={`Use ${template.name}`}
                onClick={() => opening.act(template)}
              >
                Use it
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
