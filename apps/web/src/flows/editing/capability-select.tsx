import { useState, type ReactNode } from 'react'
import { stepOf } from '../document/capability-catalog.ts'
import { useEditor } from '../editor/use-editor.ts'
import { useAction } from '../../site/action.ts'
import { useAsk } from '../../site/question.ts'
import { answers } from '../../site/answers.ts'

/**
 * Selects the capability of a job's agent. The new one is pinned with its current terms; wires to missing ports are kept.
 */
export function CapabilitySelect(props: {
  readonly id: string
  readonly agentId: number
  readonly capability: string
}): ReactNode {
  const { id, agentId, capability } = props
  const { ask, catalog, store } = useEditor()
  const [isWanted, setWanted] = useState(false)
  const {
    state,
    answer: agent,
    again,
  } = useAsk(isWanted ? `/v1/agents/${agentId}` : undefined, answers.agentPage)
  const load = (): void => {
    setWanted(true)
    if (state === 'failed') void again()
  }
  const choosing = useAction(async (_left, name: string) => {
    const query = new URLSearchParams({ ids: `${agentId}.${encodeURIComponent(name)}` })
    const { capabilities } = await ask(`/v1/capabilities?${query}`, answers.capabilities)
    catalog.learn(capabilities)
    const [offered] = capabilities
    const made = offered === undefined ? undefined : stepOf(offered)
    const before = store.state().flow.steps[id]
    if (made === undefined || before?.kind !== 'job') throw new Error('not offered')
    const { map: _, ...kept } = before
    const { pinned } = made
    store.edit([{ edit: 'replace-step', id, step: { ...kept, capability: name, pinned } }])
  })
  const others = (agent?.capabilities ?? []).filter(({ name }) => name !== capability)
  return (
    <>
      <select
        className="capability nodrag"
        aria-label="Capability"
        value={capability}
        onPointerEnter={load}
        onFocus={load}
        onChange={({ target }) => choosing.act(target.value)}
      >
        <option value={capability}>{capability}</option>
        {others.map(({ name, price }) => (
          <option key={name} value={name}>
            {name}, {price} USDC
          </option>
        ))}
      </select>
      {choosing.state === 'failed' && (
        <span className="bad tiny" role="status">
          could not be loaded
        </span>
      )}
    </>
  )
}
