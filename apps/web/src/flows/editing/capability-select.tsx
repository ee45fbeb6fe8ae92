import { useState, type ReactNode } from 'react'
import { stepOf } from '../document/capability-catalog.ts'
import { useEditor } from '../editor/use-editor.ts'
import { answers } from '../../site/answers.ts'

interface Choice {
  readonly name: string
  readonly price: string
}

/** Which of its agent's capabilities a job orders. Another one is pinned as it is now; wires that led nowhere then are kept. */
export function CapabilitySelect(props: {
  readonly id: string
  readonly agentId: number
  readonly capability: string
}): ReactNode {
  const { id, agentId, capability } = props
  const { ask, catalog, store } = useEditor()
  const [choices, setChoices] = useState<readonly Choice[]>()
  const [isFailed, setFailed] = useState(false)
  const load = (): void => {
    if (choices !== undefined) return
    setChoices([])
    ask(`/v1/agents/${agentId}`, answers.agentPage).then(
      ({ capabilities }) => setChoices(capabilities.map(({ name, price }) => ({ name, price }))),
      () => setChoices(undefined),
    )
  }
  const choose = async (name: string): Promise<void> => {
    const query = new URLSearchParams({ ids: `${agentId}.${encodeURIComponent(name)}` })
    const { capabilities } = await ask(`/v1/capabilities?${query}`, answers.capabilities)
    catalog.learn(capabilities)
    const [offered] = capabilities
    const made = offered === undefined ? undefined : stepOf(offered)
    const before = store.state().flow.steps[id]
    if (made === undefined || before?.kind !== 'job') return setFailed(true)
    const { map: _, ...kept } = before
    const { pinned } = made
    setFailed(false)
    store.edit([{ edit: 'replace-step', id, step: { ...kept, capability: name, pinned } }])
  }
  const others = (choices ?? []).filter(({ name }) => name !== capability)
  return (
    <>
      <select
        className="capability nodrag"
        aria-label="Capability"
        value={capability}
        onPointerEnter={load}
        onFocus={load}
        onChange={({ target }) => void choose(target.value).catch(() => setFailed(true))}
      >
        <option value={capability}>{capability}</option>
        {others.map(({ name, price }) => (
          <option key={name} value={name}>
            {name}, {price} USDC
          </option>
        ))}
      </select>
      {isFailed && (
        <span className="bad tiny" role="status">
          could not be loaded
        </span>
      )}
    </>
  )
}
