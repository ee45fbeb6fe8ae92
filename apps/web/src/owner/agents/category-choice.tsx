import { agentCategories, type AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { useState, type ReactNode } from 'react'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'

type State = 'idle' | 'saving' | 'saved' | { readonly problem: string }

/** The category in which an agent is found. Choosing one saves it; one that is not saved is not shown as chosen. */
export function CategoryChoice(props: {
  readonly agentId: number
  readonly category: AgentCategory | null
}): ReactNode {
  const { agentId } = props
  const { ask } = useSite()
  const [category, setCategory] = useState(props.category)
  const [state, setState] = useState<State>('idle')
  const choose = (value: string): void => {
    const chosen = agentCategories.find(one => one === value) ?? null
    const before = category
    setCategory(chosen)
    setState('saving')
    ask(`/v1/me/agents/${agentId}/category`, answers.chosenCategory, {
      method: 'PUT',
      body: { category: chosen },
    }).then(
      saved => {
        setCategory(saved.category)
        setState('saved')
      },
      (error: unknown) => {
        setCategory(before)
        setState({ problem: error instanceof ApiFailure ? error.message : 'The platform did not respond.' })
      },
    )
  }
  return (
    <span className="category-choice">
      <label htmlFor="category" className="quiet">
        Category
      </label>{' '}
      <select
        id="category"
        className="input"
        value={category ?? ''}
        disabled={state === 'saving'}
        onChange={event => choose(event.target.value)}
      >
        <option value="">none</option>
        {agentCategories.map(one => (
          <option key={one} value={one}>
            {CATEGORY_WORDS[one]}
          </option>
        ))}
      </select>{' '}
      <span role="status" className={typeof state === 'object' ? 'bad' : 'good'}>
        {state === 'saved' ? 'Saved.' : typeof state === 'object' && `Not saved. ${state.problem}`}
      </span>
    </span>
  )
}
