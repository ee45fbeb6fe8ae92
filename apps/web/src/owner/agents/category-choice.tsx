import { agentCategories, type AgentCategory } from '@farebox/platform-api/internal/listing/agent-categories'
import { useState, type ReactNode } from 'react'
import { CATEGORY_WORDS } from '../../format/category.ts'
import { useAction } from '../../site/action.ts'
import { answers } from '../../site/answers.ts'
import { useSite } from '../../site/site.ts'

/** The category in which an agent is found. Choosing one saves it; one that is not saved is not shown as chosen. */
export function CategoryChoice(props: {
  readonly agentId: number
  readonly category: AgentCategory | null
}): ReactNode {
  const { agentId } = props
  const { ask } = useSite()
  const [category, setCategory] = useState(props.category)
  const [isSaved, setSaved] = useState(false)
  const saving = useAction(async (_left, value: string) => {
    setSaved(false)
    const chosen = agentCategories.find(one => one === value) ?? null
    setCategory(chosen)
    try {
      const body = { category: chosen }
      const saved = await ask(`/v1/me/agents/${agentId}/category`, answers.chosenCategory, {
        method: 'PUT',
        body,
      })
      setCategory(saved.category)
    } catch (error) {
      setCategory(category)
      throw error
    }
    return () => setSaved(true)
  })
  return (
    <span className="category-choice">
      <label htmlFor="category" className="quiet">
        Category
      </label>{' '}
      <select
        id="category"
        className="input"
        value={category ?? ''}
        disabled={saving.state === 'busy'}
        onChange={event => saving.act(event.target.value)}
      >
        <option value="">none</option>
        {agentCategories.map(one => (
          <option key={one} value={one}>
            {CATEGORY_WORDS[one]}
          </option>
        ))}
      </select>{' '}
      <span role="status" className={saving.state === 'failed' ? 'bad' : 'good'}>
        {saving.state === 'failed' ? `Not saved. ${saving.sentence}` : isSaved && 'Saved.'}
      </span>
    </span>
  )
}
