import { useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Sheet } from '../parts/sheet.tsx'
import { Words } from '../parts/words.tsx'
import { answers } from '../site/answers.ts'
import { useNavigation } from '../site/navigation.ts'
import { useAsk } from '../site/question.ts'
import { useSite } from '../site/site.ts'
import { MORE_PLACES, PLACES } from './key-names.ts'

/** Letters typed within this time are sent as one request. */
const TYPING_MS = 120
const MOST_AGENTS = 6

interface Command {
  readonly url: string
  readonly words: string
  /** The kind of entry: `page` or `agent`. */
  readonly kind: string
}

const ALL_PLACES: readonly (Command & { readonly also: string })[] = [...PLACES, ...MORE_PLACES].map(
  ({ url, words, also }) => ({ url, words, also, kind: 'page' }),
)

/** Searches pages and agents by name: type, choose with the arrow keys, open with Enter. */
export function CommandSheet({ close }: { readonly close: () => void }): ReactNode {
  const { go } = useNavigation()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const commands = useCommands(typed)
  const id = useId()
  const at = Math.min(chosen, Math.max(commands.length - 1, 0))
  const open = (command: Command | undefined): void => {
    if (command === undefined) return
    close()
    go(command.url)
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && commands.length > 0) setChosen((at + step + commands.length) % commands.length)
    else if (event.key === 'Enter') open(commands[at])
    else return
    event.preventDefault()
  }
  return (
    <Sheet labelledBy={`${id}-title`} close={close}>
      <h2 id={`${id}-title`} className="unseen">
        Commands
      </h2>
      <input
        className="input"
        // The sheet is opened for typing.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        role="combobox"
        aria-label="Find an agent or page by name"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={commands.length === 0 ? undefined : `${id}-${at}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Find an agent or page"
        value={typed}
        onChange={event => {
          setTyped(event.target.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <Matches id={id} commands={commands} at={at} choose={setChosen} open={open} />
      {commands.length === 0 && <p className="hint">No matches.</p>}
    </Sheet>
  )
}

function Matches(props: {
  readonly id: string
  readonly commands: readonly Command[]
  /** The index of the chosen entry. */
  readonly at: number
  readonly choose: (at: number) => void
  readonly open: (command: Command) => void
}): ReactNode {
  const { id, commands, at, choose, open } = props
  return (
    <ul className="commands" id={`${id}-list`} role="listbox" aria-label="Matches">
      {commands.map((command, index) => (
        <li
          key={command.url}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          onPointerMove={() => choose(index)}
          onClick={() => open(command)}
        >
          <Words of={command.words} most={64} />
          <span className="small faint">{command.kind}</span>
        </li>
      ))}
    </ul>
  )
}

/** The pages and agents that match the typed text. */
function useCommands(typed: string): readonly Command[] {
  const { platform } = useSite()
  const agents = useAgents(typed)
  const wanted = typed.trim().toLowerCase()
  // Without the contract on the chain there is no page of limits.
  const places = ALL_PLACES.filter(
    ({ url }) => url !== '/limits' || platform.spend_permissions_address !== null,
  )
  return [...places.filter(place => isMeant(place, wanted)), ...agents]
}

/** Whether the name contains the text, or one of its other words begins with it. */
function isMeant({ words, also }: (typeof ALL_PLACES)[number], wanted: string): boolean {
  return words.toLowerCase().includes(wanted) || ` ${also}`.includes(` ${wanted}`)
}

function useAgents(typed: string): readonly Command[] {
  const words = typed.trim()
  const query = new URLSearchParams({ q: words, limit: String(MOST_AGENTS) })
  const path = words === '' ? undefined : `/v1/agents?${query}`
  const { answer } = useAsk(path, answers.search, { afterMs: TYPING_MS, keeps: true })
  if (path === undefined || answer === undefined) return []
  return answer.agents.map(({ agent_id: agentId, name }) => ({
    url: `/agents/${agentId}`,
    words: name,
    kind: 'agent',
  }))
}
