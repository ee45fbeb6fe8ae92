import type { Step } from '@farebox/flows/document/flow'
import type { CapabilitiesAnswer, OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import { useState, type DragEvent, type ReactNode } from 'react'
import { longestDecimals } from '../../format/amount.ts'
import { Amount } from '../../parts/amount.tsx'
import { FailureNote } from '../../parts/note.tsx'
import { Words } from '../../parts/words.tsx'
import { TypeShape } from '../../signs/type-shape.tsx'
import { stepOf } from '../document/capability-catalog.ts'
import { ADAPTERS, WAYS, type FreeStep } from '../document/new-steps.ts'
import { useEditor } from '../editor/use-editor.ts'
import { useRead } from '../../site/question.ts'
import { answers } from '../../site/answers.ts'

const TYPING_MS = 120
const PAGE = 20
const MOST_SHAPES = 4

/** The steps that can be added to a flow: capabilities with their prices, and free steps. */
export function Library(props: {
  readonly add: (step: Step) => void
  /** Called with the step when a drag starts, and with undefined when it ends. */
  readonly drag: (step: Step | undefined) => void
}): ReactNode {
  const [typed, setTyped] = useState('')
  const { offered, isReading, more, failure, again } = useOffered(typed)
  const decimals = longestDecimals(offered.map(({ pinned }) => pinned?.price ?? '0'))
  return (
    <aside className="panel library" aria-label="Library">
      <input
        type="search"
        className="input"
        aria-label="Find a capability"
        placeholder="Find a capability"
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <p className="tiny faint hint-a">
        Drag an item onto the canvas, or press <b>A</b> there
      </p>
      <h2>
        Capabilities <span className="end">USDC</span>
      </h2>
      {failure !== undefined && <FailureNote error={failure} again={again} />}
      <ul className={isReading ? 'lines offers reading' : 'lines offers'}>
        {offered.map(one => (
          <Offer key={`${one.agent_id} ${one.capability}`} offered={one} decimals={decimals} {...props} />
        ))}
      </ul>
      {!isReading && offered.length === 0 && failure === undefined && (
        <p className="hint">
          {typed.trim() === '' ? 'No agents are listed here yet.' : 'No capabilities match.'}
        </p>
      )}
      {more !== undefined && (
        <button type="button" className="link small" onClick={more}>
          Show more
        </button>
      )}
      <h2>
        Adapters <span className="end">free, run by the platform</span>
      </h2>
      <FreeSteps of={ADAPTERS} {...props} />
      <h2>
        Branching <span className="end">free</span>
      </h2>
      <FreeSteps of={WAYS} {...props} />
    </aside>
  )
}

interface Adding {
  readonly add: (step: Step) => void
  readonly drag: (step: Step | undefined) => void
}

function Offer(
  props: Adding & { readonly offered: OfferedCapability; readonly decimals: number },
): ReactNode {
  const { offered, decimals, add, drag } = props
  const step = stepOf(offered)
  if (step === undefined) return null
  const { agent_name: name, price, input_schema: takes, output_schema: gives } = step.pinned
  return (
    <li>
      <button type="button" {...dragged(step, drag)} onClick={() => add(step)}>
        <b>
          <Words of={name} most={64} />
        </b>
        <span className="num">
          <Amount of={price} decimals={decimals} />
        </span>
        <span className="shape">
          <Shapes of={takes} />
          <span className="faint">→</span>
          <Shapes of={gives} />
          <span className="mono">
            <bdi>{offered.capability}</bdi>
          </span>
          {offered.state !== 'online' && <span className="bad">{offered.state}</span>}
        </span>
      </button>
    </li>
  )
}

function Shapes({
  of,
}: {
  readonly of: { readonly [name: string]: { readonly type: Parameters<typeof TypeShape>[0]['type'] } }
}): ReactNode {
  return Object.entries(of)
    .slice(0, MOST_SHAPES)
    .map(([name, { type }]) => <TypeShape key={name} type={type} />)
}

function FreeSteps({ of, add, drag }: Adding & { readonly of: readonly FreeStep[] }): ReactNode {
  return (
    <ul className="free-steps">
      {of.map(({ kind, name, step, words }) => (
        <li key={kind}>
          <button type="button" title={words} {...dragged(step, drag)} onClick={() => add(step)}>
            {name}
          </button>
        </li>
      ))}
    </ul>
  )
}

function dragged(step: Step, drag: (step: Step | undefined) => void) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => {
      // Some browsers start a drag only if it carries text.
      event.dataTransfer.setData('text/plain', step.kind)
      event.dataTransfer.effectAllowed = 'copy'
      drag(step)
    },
    onDragEnd: () => drag(undefined),
  }
}

function useOffered(typed: string) {
  const { ask, catalog } = useEditor()
  const words = typed.trim()
  const read = async (signal: AbortSignal, cursor?: string): Promise<CapabilitiesAnswer> => {
    const query = new URLSearchParams({ limit: String(PAGE) })
    if (words !== '') query.set('q', words)
    if (cursor !== undefined) query.set('cursor', cursor)
    const answer = await ask(`/v1/capabilities?${query}`, answers.capabilities, { signal })
    catalog.learn(answer.capabilities)
    return answer
  }
  const { state, answer, isWaiting, failure, again, more } = useRead(words, signal => read(signal), {
    keeps: true,
    ...(words !== '' && { afterMs: TYPING_MS }),
  })
  const cursor = answer?.next_cursor ?? null
  return {
    offered: answer?.capabilities ?? [],
    isReading: state === 'asking' || isWaiting === true,
    failure,
    again: () => void again(),
    more:
      answer === undefined || cursor === null
        ? undefined
        : () =>
            more(async signal => {
              const next = await read(signal, cursor)
              return { ...next, capabilities: [...answer.capabilities, ...next.capabilities] }
            }),
  }
}
